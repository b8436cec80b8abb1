import type { Cluster } from "./command.ts";

/** Which cluster is meant: with many kubeconfigs, a right command in the wrong one is the costliest mistake. */
export function clusterText({ context, server }: Pick<Cluster, "context" | "server">): string {
  return context === undefined ? server : `${context} (${server})`;
}
