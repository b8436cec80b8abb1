import type { Problem } from "../../../core/reconcile/problem.ts";
import { captureSupport } from "../../../core/volumes/staging/capture_support.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import type { KopiurPorts } from "../ports.ts";

/** Why no Backup could capture these volumes as the BackupConfig says; undefined where nothing speaks against it. */
export async function observeCapture(
  { client, caches }: Pick<KopiurPorts, "client" | "caches">,
  { metadata, spec }: BackupConfig,
  sources: readonly ResolvedSource[],
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const { namespace = "" } = metadata;
  const problem = await captureSupport(
    client,
    {
      method: spec.copyMethod,
      groupBy: spec.groupBy,
      sources: sources.map(({ pvc }) => ({ namespace, name: parseKey(pvc as ObjectKey).name })),
      claimOf: (source) => caches.claims.get(keyOf(source)),
      snapshotClassName: spec.volumeSnapshotClassName,
    },
    { signal },
  );
  return problem && { class: problem.class, reason: problem.reason, message: problem.message };
}
