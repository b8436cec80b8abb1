import { type Authored, structuralOf } from "./from_zod.ts";
import type { Kind, PrinterColumn, ScalePaths } from "./kind.ts";
import type { Structural } from "./structural.ts";

/** A CustomResourceDefinition with one version, as it is applied. */
export interface Crd {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly versions: readonly CrdVersion[];
  };
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: Structural };
  readonly subresources?: { readonly status?: Record<string, never>; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
}

/** The CRD of a kind. */
export function crdOf(kind: Kind): Crd {
  const { group, scope, plural, singular, shortNames, categories } = kind;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular,
        ...(shortNames?.length ? { shortNames } : {}),
        ...(categories?.length ? { categories } : {}),
      },
      versions: [versionOf(kind)],
    },
  };
}

function versionOf(kind: Kind): CrdVersion {
  const { scale, printerColumns, statusSubresource = true } = kind;
  const hasOwnStatus = statusSubresource && kind.schema.properties?.status !== undefined;
  const subresources = { ...(hasOwnStatus ? { status: {} } : {}), ...(scale ? { scale } : {}) };
  return {
    name: kind.version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: rootSchema(kind.schema) },
    ...(hasOwnStatus || scale ? { subresources } : {}),
    ...(printerColumns?.length ? { additionalPrinterColumns: printerColumns } : {}),
  };
}

/** With the fields that every object has, so that `kubectl explain` shows them. */
function rootSchema(schema: Authored): Structural {
  const structural = structuralOf(schema);
  const meta: Record<string, Structural> = {
    apiVersion: { type: "string", description: "The version of the schema that this object follows." },
    kind: { type: "string", description: "The kind of this object." },
    metadata: { type: "object" },
  };
  return { ...structural, properties: { ...meta, ...structural.properties } };
}
