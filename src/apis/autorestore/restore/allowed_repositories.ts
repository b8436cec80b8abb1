import type { PlannedRepository } from "../../../core/backup/plan.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { type AutorestoreCaches, restoreClaimKeyOf } from "../caches.ts";
import { allowedNow } from "../repository_use.ts";

/**
 * Those of its repositories, in other namespaces, that a restore may use, or was allowed to use before. Workloads wait
 * for it: it comes to its end also when the BackupConfig has gone meanwhile.
 */
export function allowedRepositories(
  caches: AutorestoreCaches,
  restore: ResticRestore,
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
