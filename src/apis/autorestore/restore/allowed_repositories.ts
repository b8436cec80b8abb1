import type { PlannedRepository } from "../../../core/backup/plan.ts";
import { type KubeObject, keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { type AutorestoreCaches, restoreClaimKeyOf } from "../caches.ts";
import { allowedNow } from "../repository_use.ts";

interface Restoring extends KubeObject {
  readonly spec: { readonly targetPVC: string };
  readonly status?: { readonly state?: Record<string, unknown> };
}

/**
 * Those of its repositories, in other namespaces, that a restore may use, or was allowed to use before. Workloads wait
 * for it: it comes to its end also when the BackupConfig has gone meanwhile.
 */
export function allowedRepositories(
  caches: AutorestoreCaches,
  restore: Restoring,
  keys: readonly ObjectKey[],
): readonly PlannedRepository[] {
  const before = (restore.status?.state?.allowed ?? []) as readonly PlannedRepository[];
  return keys
    .filter((key) => parseKey(key).namespace !== restore.metadata.namespace)
    .flatMap(
      (key) =>
        allowedNow(caches, key, restoreClaimKeyOf(restore)) ?? before.find((one) => keyOf(one) === key) ?? [],
    );
}
