import type { KubeObject } from "../../kube/object.ts";

/** An object as a command line names it, with its namespace: `backup/monday -n home`. */
export function namedText({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  const where = metadata.namespace === undefined ? "" : ` -n ${metadata.namespace}`;
  return `${kind.toLowerCase()}/${metadata.name}${where}`;
}
