import type { Crd, CrdVersion } from "../../kube/schema/crd.ts";
import type { PrinterColumn } from "../../kube/schema/kind.ts";
import type { Stored } from "../store/store.ts";
import { objectMetaSchema } from "./definitions.ts";
import { jsonPath } from "./json_path.ts";
import type { KindInfo, PatchableSchema } from "./kind_info.ts";
import { CUSTOM_VERBS } from "./verbs.ts";

/** A CustomResourceDefinition as users write it: more than our own kinds need. */
export interface AnyCrd {
  readonly spec: Omit<Crd["spec"], "versions"> & {
    readonly versions: readonly (CrdVersion & {
      readonly selectableFields?: readonly { readonly jsonPath: string }[];
    })[];
  };
}

/** The kinds that a CustomResourceDefinition adds: one for each served version. */
export function kindsOfCrd(crd: AnyCrd): readonly KindInfo[] {
  const { group, names, scope, versions } = crd.spec;
  const storageVersion = versions.find((version) => version.storage)?.name ?? "";
  return versions
    .filter((version) => version.served)
    .map((version) => ({
      resource: {
        group,
        version: version.name,
        kind: names.kind,
        plural: names.plural,
        namespaced: scope === "Namespaced",
      },
      singular: names.singular,
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      custom: true,
      storageVersion,
      schema: withMetadata(version.schema.openAPIV3Schema),
      status: version.subresources?.status !== undefined,
      ...(version.subresources?.scale ? { scale: version.subresources.scale } : {}),
      verbs: CUSTOM_VERBS,
      selectableFields: Object.fromEntries(
        (version.selectableFields ?? []).map((field) => [field.jsonPath.slice(1), fieldAt(field.jsonPath)]),
      ),
      generation: true,
      columns: version.additionalPrinterColumns ?? AGE_ALONE,
    }));
}

const AGE_ALONE: readonly PrinterColumn[] = [
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

function fieldAt(path: string): (object: Stored) => string {
  const find = jsonPath(path);
  return (object) => {
    const [value] = find(object);
    return value === undefined ? "" : String(value);
  };
}

/** A CRD says of the metadata at most what names may look like. */
function withMetadata(schema: PatchableSchema): PatchableSchema {
  const { apiVersion, kind, metadata, ...fields } = schema.properties ?? {};
  const meta = {
    ...objectMetaSchema,
    properties: { ...objectMetaSchema.properties, ...metadata?.properties },
  };
  const text: PatchableSchema = { type: "string" };
  return {
    ...schema,
    properties: { apiVersion: apiVersion ?? text, kind: kind ?? text, metadata: meta, ...fields },
  };
}
