import { blocked, type Problem } from "../../../core/reconcile/problem.ts";
import { REASONS } from "../../../core/reconcile/reasons.ts";
import { groupSupport } from "../../../core/volumes/staging/group_support.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { ResolvedSource } from "../../../kinds/kopiur/parts.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { Client } from "../../../kube/client.ts";
import { type ObjectKey, parseKey } from "../../../kube/object.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import { err, type Result } from "../../../lib/result.ts";

const ONE_BY_ONE = blocked(
  REASONS.groupSnapshotUnsupported,
  "Several volumes cannot be cloned at one moment. Use copyMethod Snapshot, or set groupBy to None.",
);

/** Whether the volumes of a BackupConfig can be captured at one moment; undefined where nobody asks for that. */
export async function observeGroupSupport(
  client: Pick<Client, "get" | "list" | "serves">,
  config: BackupConfig,
  sources: readonly ResolvedSource[],
  signal: AbortSignal,
): Promise<Result<true, Problem> | undefined> {
  const { copyMethod, groupBy, volumeGroupSnapshotClassName: groupSnapshotClassName } = config.spec;
  if (sources.length < 2 || groupBy === "None" || copyMethod === "Direct") return undefined;
  if (copyMethod === "Clone") return err(ONE_BY_ONE);
  const { namespace = "" } = config.metadata;
  const reference = ownerReference({
    owner: { resource: backupConfigResource, object: config },
    dependent: { resource: PersistentVolumeClaims, namespace },
  });
  return groupSupport(
    client,
    {
      owner: { reference, namespace },
      sources: sources.map(({ pvc }) => ({ namespace, name: parseKey(pvc as ObjectKey).name })),
      groupSnapshotClassName,
    },
    { signal },
  );
}
