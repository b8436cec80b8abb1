import { DELETION_REASON_ANNOTATION } from "../../kinds/kopiur/annotations.ts";
import { GROUP } from "../../kinds/kopiur/group.ts";
import type { KubeObject } from "../../kube/object.ts";
import { fingerprint } from "../../lib/hash.ts";

/**
 * Changes with every edit of the spec and of our annotations: what had come to an end is then tried anew. That the operator
 * is about to delete it is no reason for that.
 */
export function edition({ metadata }: KubeObject): string {
  const ours = Object.entries(metadata.annotations ?? {})
    .filter(([name]) => name.startsWith(`${GROUP}/`) && name !== DELETION_REASON_ANNOTATION)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return fingerprint(JSON.stringify([metadata.generation ?? 0, ours]));
}
