import { resourceName } from "../../kube/resource.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { StoreKey } from "../store/store.ts";
import { noSuchPath } from "./refusal.ts";
import type { ServedKinds } from "./served_kinds.ts";

/** What a request is about. */
export interface Target {
  readonly kind: KindInfo;
  /** Empty for what has no namespace, and for all of them. */
  readonly namespace: string;
  /** Absent for a collection. */
  readonly name?: string;
  /** The rest of the path: `status`, `scale`, `log`. */
  readonly subresource?: string;
}

/**
 * The target of a path below `/api` or `/apis`; undefined for one that names no resource, such as discovery's.
 * Throws a Refusal for a resource that is not served.
 */
export function targetOf(path: string, kinds: ServedKinds): Target | undefined {
  const parts = segments(path);
  const [root, ...rest] = parts;
  if (root === "api") return resolve("", rest[0], rest.slice(1), kinds);
  if (root === "apis") return resolve(rest[0], rest[1], rest.slice(2), kinds);
  return undefined;
}

/** Decoded, and nothing in them that could mean another path. */
function segments(path: string): readonly string[] {
  const parts = path.split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  return parts.map((part) => {
    const decoded = decode(part);
    if (decoded === "" || decoded === "." || decoded === ".." || decoded.includes("/")) throw noSuchPath();
    return decoded;
  });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw noSuchPath();
  }
}

function resolve(
  group: string | undefined,
  version: string | undefined,
  rest: readonly string[],
  kinds: ServedKinds,
): Target | undefined {
  if (group === undefined || version === undefined || rest.length === 0) return undefined;
  if (!kinds.has(group, version)) return undefined;
  const [first, namespace = "", plural] = rest;
  const inNamespace =
    first === "namespaces" && plural !== undefined && kinds.find(group, version, plural)?.resource.namespaced;
  if (inNamespace) return targetIn(namespace, rest.slice(2), kinds, group, version);
  return targetIn("", rest, kinds, group, version);
}

function targetIn(
  namespace: string,
  rest: readonly string[],
  kinds: ServedKinds,
  group: string,
  version: string,
): Target | undefined {
  const [plural = "", name, ...sub] = rest;
  const kind = kinds.find(group, version, plural);
  // In a group of CRDs an unknown resource is nobody's; the built-in groups answer for all of theirs.
  if (!kind && kinds.isCustom(group)) return undefined;
  if (!kind || sub.length > 1) throw noSuchPath();
  if (kind.resource.namespaced && namespace === "" && name !== undefined) throw noSuchPath();
  const [subresource] = sub;
  return {
    kind,
    namespace,
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

/** One object, or a part of it, that is there or could be. */
export interface Place {
  readonly kind: KindInfo;
  /** Empty for what has no namespace. */
  readonly namespace: string;
  readonly name: string;
  /** The part: `status`, `scale`, `finalize`. */
  readonly subresource?: string | undefined;
}

export function keyOf({ kind, namespace, name }: Place): StoreKey {
  return { resource: resourceName(kind.resource), namespace, name };
}
