import { SNAPSHOT } from "../../../core/backup/snapshot_task.ts";
import { type Problem, waits } from "../../../core/reconcile/problem.ts";
import { recordOf } from "../../../core/reconcile/records.ts";
import type { ClaimWork } from "../../../core/work/claim_turns.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import { unreadyPods } from "../../../core/workloads/unready_pods.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { someOf } from "../../../lib/some_of.ts";
import { type AutorestoreCaches, BY_CLAIM, claimKeyOf, isUnended } from "../caches.ts";
import { claimedBy, selectorOf } from "../config/claiming.ts";
import type { AutorestorePorts } from "../ports.ts";
import { unsettled, unsettledText } from "../restore/core_restore.ts";

/** What a backup that has not begun waits for at its PVC: one job at a time works on it, and restores go first. */
export async function claimWait(
  ports: AutorestorePorts,
  backup: ResticBackup,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  if (!isUnended(backup) || recordOf(backup.status, SNAPSHOT)?.job) return undefined;
  const { caches, client } = ports;
  const key = claimKeyOf(backup);
  const restores = caches.restores.indexed(BY_CLAIM, key);
  const restore = writerOf(caches, key);
  if (restore) return busy(key, `${restore.kind} ${restore.metadata.name}`);
  const claim = caches.claims.get(key);
  const failed = claim && unsettled(restores, claim);
  if (failed) return waits("RestoreFailed", unsettledText(key, failed));
  if (claim && waitsForPods(caches, claim)) {
    const { namespace = "", name } = claim.metadata;
    const unready = await unreadyPods(client, { namespace, name }, { signal });
    if (unready.length > 0) return unhealthy(key, unready);
  }
  return backupBefore(ports, key, backup.metadata.uid);
}

/** The restore that writes into a PVC, or is to: not one that waits for a backup, which may be one of the same PVC. */
export function writerOf({ backups, restores }: AutorestoreCaches, claim: string): ResticRestore | undefined {
  return restores
    .indexed(BY_CLAIM, claim)
    .filter(isUnended)
    .find(({ metadata: { namespace }, spec: { backupName: name }, status }) => {
      if (name === undefined || status?.snapshotID !== undefined) return true;
      return backups.get(keyOf({ namespace, name }))?.status?.phase === "Completed";
    });
}

/** The backup that works on a PVC, or was let in just now: another job waits for it. */
export function backupBefore(
  { caches, turns }: Pick<AutorestorePorts, "caches" | "turns">,
  claim: ObjectKey,
  own: string,
): Problem | undefined {
  const works = caches.backups.indexed(BY_CLAIM, claim).filter(isUnended).map(workOf);
  const before = turns.before(claim, own, works);
  return before && busy(claim, before.name);
}

/** Nothing stands before its Job any more, or it has one: until it has ended, no other job may work on the PVC. */
export function isStarting(record: RunRecord | undefined): boolean {
  return record?.outcome === undefined && (record?.clearSince ?? record?.job) !== undefined;
}

function busy(claim: ObjectKey, who: string): Problem {
  const message = `${who} works on PersistentVolumeClaim ${claim}. This one begins when that has ended.`;
  return waits("VolumeBusy", message);
}

function workOf(backup: ResticBackup): ClaimWork {
  const working = recordOf(backup.status, SNAPSHOT)?.job !== undefined;
  return { uid: backup.metadata.uid, name: `ResticBackup ${keyOf(backup)}`, working };
}

function waitsForPods({ configs }: AutorestoreCaches, claim: KubeObject): boolean {
  const config = configs.get((claimedBy(claim) ?? "") as ObjectKey);
  return (config && selectorOf(config, claim)?.waitForHealthy) ?? false;
}

function unhealthy(claim: ObjectKey, pods: readonly string[]): Problem {
  const message = `PersistentVolumeClaim ${claim} is used by ${someOf(pods)}, which is not ready. The backup begins when it is. To back up anyway, set waitForHealthy: false in the BackupConfig's selector.`;
  return waits("PodsNotReady", message);
}
