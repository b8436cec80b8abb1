import { type Resource, resourceName } from "../resource.ts";
import type { Structural } from "../schema/structural.ts";
import { schemaShortfalls } from "./schema_shortfalls.ts";

/** A kind as this program knows it. */
export interface WantedKind {
  readonly resource: Resource;
  readonly schema: Structural;
  /** What of the schema a CRD of somebody else's has to hold. Default: all of it. */
  readonly needed?: Structural;
  /** This program creates such objects itself. */
  readonly created?: boolean;
  /** False where the status is written with the rest of the object. Default true. */
  readonly statusSubresource?: boolean;
}

/** A CRD that is there, as far as it is looked at. */
export interface PresentCrd {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec: {
    readonly scope: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly PresentVersion[];
    readonly conversion?: {
      readonly strategy?: string;
      readonly webhook?: {
        readonly clientConfig?: {
          readonly url?: string;
          readonly service?: { readonly namespace?: string; readonly name?: string };
        };
      };
    };
  };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

interface PresentVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Structural };
  readonly subresources?: { readonly status?: unknown };
}

/** Why a CRD that somebody else installed does not serve this program, each as a sentence that begins with its name. */
export function crdShortfalls(kind: WantedKind, crd: PresentCrd | undefined): readonly string[] {
  const found = crd === undefined ? ["is not there"] : [...placeShortfalls(kind, crd), ...formOf(kind, crd)];
  return found.map((text) => `${resourceName(kind.resource)} ${text}`);
}

function placeShortfalls(
  { resource }: WantedKind,
  { metadata, spec, status }: PresentCrd,
): readonly string[] {
  const scope = resource.namespaced ? "Namespaced" : "Cluster";
  const established = status?.conditions?.find(({ type }) => type === "Established");
  const { conversion, versions } = spec;
  return [
    ...(metadata.deletionTimestamp ? ["is being deleted"] : []),
    ...(established?.status === "True" ? [] : [`is not served: ${established?.message ?? "not yet"}`]),
    ...(spec.scope === scope ? [] : [`has the scope ${spec.scope} instead of ${scope}`]),
    ...(spec.names.kind === resource.kind
      ? []
      : [`has the kind ${spec.names.kind} instead of ${resource.kind}`]),
    ...(conversion?.strategy === "Webhook" && versions.length > 1
      ? [`is converted by a webhook of somebody else's, ${converterOf(conversion)}`]
      : []),
  ];
}

function converterOf({ webhook }: NonNullable<PresentCrd["spec"]["conversion"]>): string {
  const { service, url } = webhook?.clientConfig ?? {};
  return service
    ? `the Service ${service.namespace}/${service.name}`
    : (url ?? "which does not say where it is");
}

function formOf(
  { resource, schema, needed = schema, created = false, statusSubresource = true }: WantedKind,
  { spec }: PresentCrd,
): readonly string[] {
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ name }) => name === resource.version);
  if (!version) {
    const others = served.map(({ name }) => name).join(", ") || "nothing";
    return [`serves ${others}, and not ${resource.version}`];
  }
  const hasStatus = schema.properties?.status !== undefined;
  const separate = version.subresources?.status !== undefined;
  return [
    ...(hasStatus && statusSubresource && !separate ? ["has no subresource for the status"] : []),
    ...(hasStatus && !statusSubresource && separate
      ? ["has a subresource for the status, which is written with the rest of the object here"]
      : []),
    ...schemaShortfalls(needed, version.schema?.openAPIV3Schema ?? {}, { created }).map(
      (text) => `does not fit: ${text}`,
    ),
  ];
}
