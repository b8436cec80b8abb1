import type { RepositoryRef } from "../references.ts";

/** Which repository a reference means, as one text: two with the same text mean the same one. */
export function repositoryPlace(ref: RepositoryRef, namespace: string): string {
  return ref.kind === "ClusterRepository"
    ? `ClusterRepository ${ref.name}`
    : `Repository ${ref.namespace ?? namespace}/${ref.name}`;
}
