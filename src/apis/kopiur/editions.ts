import { GROUP } from "../../kinds/kopiur/group.ts";
import type { KubeObject } from "../../kube/object.ts";
import { fingerprint } from "../../lib/hash.ts";

/** Changes with every edit of the spec and of our annotations: what had come to an end is then tried anew. */
export function edition({ metadata }: KubeObject): string {
  const ours = Object.entries(metadata.annotations ?? {})
    .filter(([name]) => name.startsWith(`${GROUP}/`))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return fingerprint(JSON.stringify([metadata.generation ?? 0, ours]));
}
