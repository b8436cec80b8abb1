import type { FilesOf } from "../../../src/cli/console/contract.ts";
import type { ObjectRef } from "../../../src/core/view/shown_object.ts";

/** A place of the console: its path, and what its address says besides. */
export interface Place {
  readonly to: string;
  readonly search?: Readonly<Record<string, string | undefined>>;
}

/** Stands for the namespace of objects that have none. */
export const NO_NAMESPACE = "-";

const path = (...parts: readonly string[]) => `/${parts.map(encodeURIComponent).join("/")}`;

export const overview: Place = { to: "/" };
export const volumes = (search: Place["search"] = {}): Place => ({ to: "/volumes", search });
export const volume = ({ namespace, name }: Pick<ObjectRef, "namespace" | "name">): Place => ({
  to: path("volumes", namespace ?? NO_NAMESPACE, name),
});
/** A volume by `namespace/name`. */
export function claim(named: string): Place {
  const [namespace = "", name = ""] = named.split("/");
  return volume({ namespace, name });
}
export const snapshots = (search: Place["search"] = {}): Place => ({ to: "/snapshots", search });
export const repository = ({ kind, namespace, name }: ObjectRef): Place => ({
  to: path("repositories", kind, namespace ?? NO_NAMESPACE, name),
});
/** Any object, by its resource as `plural.group`. */
export const object = (
  resource: string,
  { namespace, name }: Pick<ObjectRef, "namespace" | "name">,
): Place => ({
  to: path("objects", resource, namespace ?? NO_NAMESPACE, name),
});
export const files = ({ namespace, backup, pvc }: FilesOf, search: Place["search"] = {}): Place => ({
  to: "/files",
  search: { namespace, backup, pvc, ...search },
});
export const diff = ({ namespace, backup, pvc }: FilesOf): Place => ({
  to: "/diff",
  search: { namespace, newer: backup, pvc },
});
/** A restore: of a snapshot, or with `claim` alone of the newest of a volume. */
export const restore = (
  of: { readonly namespace: string; readonly backup?: string; readonly pvc?: string | undefined },
  search: Place["search"] = {},
): Place => ({ to: "/restore", search: { ...of, ...search } });
export const lost: Place = { to: "/lost" };
