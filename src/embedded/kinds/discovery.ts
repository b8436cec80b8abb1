import { apiVersionOf } from "../../kube/resource.ts";
import { sha256 } from "../../lib/hash.ts";
import type { KindInfo } from "./kind_info.ts";

/** The media type of an answer that says all about all groups at once; without it clients do not know it. */
export const AGGREGATED_DISCOVERY_TYPE =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The version of Kubernetes whose API this is. */
const VERSION = {
  major: "1",
  minor: "37",
  emulationMajor: "1",
  emulationMinor: "37",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "36",
  gitVersion: "v1.37.1+holdfast",
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};

/**
 * What clients ask to learn which kinds there are: `/version`, `/api`, `/apis`, and each group and version below.
 * Undefined for every other path. An answer of kind APIGroupDiscoveryList goes out as AGGREGATED_DISCOVERY_TYPE.
 */
export function discovery(kinds: readonly KindInfo[], path: string, accept: string): object | undefined {
  const clean = path.length > 1 ? path.replace(/\/$/, "") : path;
  if (clean === "/version") return VERSION;
  const [, root, ...rest] = clean.split("/");
  if (root !== "api" && root !== "apis") return undefined;
  const served = kinds.filter(({ resource }) => (resource.group === "") === (root === "api"));
  if (rest.length === 0) {
    if (accept.includes("as=APIGroupDiscoveryList") && accept.includes("v=v2")) return aggregated(served);
    return root === "api"
      ? { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] }
      : { kind: "APIGroupList", apiVersion: "v1", groups: groupsOf(served).map(groupDocument) };
  }
  const [group = "", version] = root === "api" ? ["", ...rest] : rest;
  if (rest.length > (root === "api" ? 1 : 2)) return undefined;
  const found = groupsOf(served).find(({ name }) => name === group);
  if (version === undefined) return found && { kind: "APIGroup", apiVersion: "v1", ...groupDocument(found) };
  return found?.versions.includes(version) ? resourceList(served, group, version) : undefined;
}

interface Group {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
}

function groupsOf(kinds: readonly KindInfo[]): readonly Group[] {
  const groups = new Map<string, Set<string>>();
  for (const { resource } of kinds) {
    const versions = groups.get(resource.group) ?? new Set();
    groups.set(resource.group, versions.add(resource.version));
  }
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].sort(byStability) }));
}

/** v2 before v1 before v2beta1 before v1beta2 before v1alpha1. */
function byStability(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  const at = left.findIndex((part, i) => part !== right[i]);
  return at < 0 ? 0 : (right[at] ?? 0) - (left[at] ?? 0);
}

function rank(version: string): readonly number[] {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major ?? 0), Number(minor ?? 0)];
}

function groupDocument({ name, versions }: Group): object {
  const documents = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: documents, preferredVersion: documents[0] };
}

/** The list of one version, as clients that do not know the aggregated form read it. */
function resourceList(kinds: readonly KindInfo[], group: string, version: string): object {
  const served = kinds.filter(({ resource }) => resource.group === group && resource.version === version);
  const groupVersion = group ? `${group}/${version}` : version;
  const resources = served.flatMap((kind) => {
    const { resource, singular, verbs } = kind;
    const { plural, namespaced } = resource;
    const own = { name: plural, singularName: singular, namespaced, kind: resource.kind, verbs };
    const below = subresourcesOf(kind).map(({ name, responseKind, verbs }) => ({
      name: `${plural}/${name}`,
      singularName: "",
      namespaced,
      ...responseKind,
      verbs,
    }));
    const stored = verbs.includes("get") ? { storageVersionHash: storageVersionHash(kind) } : {};
    return [{ ...own, ...otherNames(kind), ...stored }, ...below];
  });
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}

function otherNames({ shortNames, categories }: KindInfo): object {
  return { ...(shortNames.length > 0 && { shortNames }), ...(categories.length > 0 && { categories }) };
}

/** By which clients see that objects are stored in another version now. Real servers still store CRDs as v1beta1. */
function storageVersionHash({ resource, storageVersion }: KindInfo): string {
  const version = resource.kind === "CustomResourceDefinition" ? "v1beta1" : storageVersion;
  const stored = [resource.group, version, resource.kind].join("/");
  return Buffer.from(sha256(stored), "hex").subarray(0, 8).toString("base64");
}

interface Subresource {
  readonly name: string;
  readonly responseKind: { readonly group?: string; readonly version?: string; readonly kind: string };
  readonly verbs: readonly string[];
}

const WRITABLE = ["get", "patch", "update"];

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

function subresourcesOf({ resource, status, scale, custom }: KindInfo): readonly Subresource[] {
  const responseKind = { kind: resource.kind };
  const hasLog = apiVersionOf(resource) === "v1" && resource.kind === "Pod";
  const found: readonly Subresource[] = [
    ...(status ? [{ name: "status", responseKind, verbs: WRITABLE }] : []),
    ...(scale ? [{ name: "scale", responseKind: SCALE, verbs: WRITABLE }] : []),
    ...(hasLog ? [{ name: "log", responseKind, verbs: ["get"] }] : []),
  ];
  return custom ? found : [...found].reverse();
}

function aggregated(kinds: readonly KindInfo[]): object {
  const items = groupsOf(kinds).map(({ name, versions }) => ({
    metadata: name ? { name } : {},
    versions: versions.map((version) => ({
      version,
      resources: kinds
        .filter(({ resource }) => resource.group === name && resource.version === version)
        .map(aggregatedResource),
      freshness: "Current",
    })),
  }));
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}

function aggregatedResource(kind: KindInfo): object {
  const { resource, singular, verbs } = kind;
  const subresources = subresourcesOf(kind).map(({ name, responseKind, verbs }) => ({
    subresource: name,
    responseKind: { group: "", version: "", ...responseKind },
    verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: { group: "", version: "", kind: resource.kind },
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...otherNames(kind),
    ...(subresources.length > 0 && { subresources }),
  };
}
