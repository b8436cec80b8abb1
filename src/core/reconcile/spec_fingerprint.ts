import { groupOf, type KubeObject } from "../../kube/object.ts";
import { fingerprint } from "../../lib/hash.ts";
import { DELETION_REASON } from "./annotations.ts";

/** An object that never runs again once it has ended, whatever is edited since. */
export interface RunsOnce {
  /** What its fingerprint was then. Default: it has not ended, or an edit has it tried again. */
  readonly endedAs?: string;
}

/**
 * Changes with every edit of the spec and of the annotations of its API: what had come to an end is then tried anew. That
 * the operator is about to delete it is no reason for that.
 */
export function specFingerprint(object: KubeObject & RunsOnce): string {
  if (object.endedAs !== undefined) return object.endedAs;
  const { generation, annotations = {} } = object.metadata;
  const group = groupOf(object);
  const ours = Object.entries(annotations)
    .filter(([name]) => name.startsWith(`${group}/`) && name !== `${group}/${DELETION_REASON}`)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return fingerprint(JSON.stringify([generation ?? 0, ours]));
}
