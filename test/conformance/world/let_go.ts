import type { Resource } from "../../../src/kube/resource.ts";
import type { Api } from "./api.ts";

/** Removes the finalizers that a failed case left behind: they would hold namespaces and CRDs for ever. */
export async function letGo(
  api: Api,
  resources: readonly Resource[],
  namespaces: readonly string[],
): Promise<void> {
  for (const resource of resources) {
    for (const { metadata } of (await api.of(resource).list()).body.items ?? []) {
      const ours = metadata.namespace === undefined || namespaces.includes(metadata.namespace);
      if (!ours || !metadata.finalizers) continue;
      const patch = { metadata: { finalizers: null } };
      await api.of(resource, metadata.namespace).patch(metadata.name, "merge", patch);
    }
  }
}
