import type { BackupState } from "../../../core/backup/backup.ts";
import { type Problem, refused, waits } from "../../../core/reconcile/problem.ts";
import type { RestoreSource } from "../../../core/restore/resolution.ts";
import type { Pinned } from "../../../core/restore/restore.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { type KubeObject, keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { defined } from "../../../lib/defined.ts";
import { err, ok } from "../../../lib/result.ts";
import { planOf } from "../backup/backup_plan.ts";
import { identityOf } from "../identity.ts";

const KIND = "ResticRepository";
/** What hardly holds anything of what the ones before it did is not the latest that is meant. */
const EMPTIED = { maxShrinkPercent: 99 };

export interface SourceQuestion {
  readonly restore: ResticRestore;
  /** What was decided before. */
  readonly pinned: Pinned | undefined;
  /** The ResticBackup that the restore names, where there is one. */
  readonly backup: ResticBackup | undefined;
}

/** Where the data of a restore comes from. */
export function restoreSource({ restore, pinned, backup }: SourceQuestion): RestoreSource {
  const { backupName, snapshotID } = restore.spec;
  const next = pinned?.noSnapshot ? targetAfter(restore, pinned) : undefined;
  if (next) return ask(restore, next, pinned?.passedOver);
  if (pinned?.pinnedAt) return { resolution: ok({ type: "Pinned", pinned }) };
  if (backupName !== undefined) return ofBackup(backupName, backup, restore);
  const [first = ""] = targetsOf(restore);
  if (snapshotID === undefined) return ask(restore, first as ObjectKey);
  const { name, namespace = "" } = parseKey(first as ObjectKey);
  if (namespace !== restore.metadata.namespace) return { resolution: err(FOREIGN_SNAPSHOT) };
  const repository = { kind: KIND, name, namespace };
  const now = { repository, snapshotID, pinnedAt: restore.metadata.creationTimestamp };
  return { resolution: ok({ type: "Pinned", pinned: now }) };
}

/**
 * An automatic restore is for the very PVC that was claimed. It ends with it, and with it what it holds: another PVC of
 * that name is decided for by itself.
 */
export function lostClaim(
  { metadata, spec }: ResticRestore,
  claim: KubeObject | undefined,
): Problem | undefined {
  const uid = metadata.annotations?.[ANNOTATIONS.autoRestore];
  const isThere = claim?.metadata.uid === uid && !claim?.metadata.deletionTimestamp;
  if (uid === undefined || isThere) return undefined;
  const message = `PersistentVolumeClaim ${spec.targetPVC} was deleted before the data was written into it. A new one of this name is restored by itself where a BackupConfig selects it.`;
  return refused("VolumeLost", message);
}

/** The keys of all repositories that a restore may come to use. */
export function repositoriesOf(
  restore: ResticRestore,
  backup: ResticBackup | undefined,
): readonly ObjectKey[] {
  const plan = backup && planOf(backup);
  return [...targetsOf(restore), ...(plan ? [keyOf(plan.repository)] : [])];
}

/** The keys of the repositories that are asked, one after the other; one that several targets share is asked once. */
function targetsOf({ metadata, spec }: ResticRestore): readonly ObjectKey[] {
  const targets = [...(spec.backupTarget ? [spec.backupTarget] : []), ...(spec.fallbackTargets ?? [])];
  const keys = targets.map(({ repository: { name, namespace = metadata.namespace } }) =>
    keyOf({ namespace, name }),
  );
  return [...new Set(keys)];
}

/** The repository to ask once this one has answered that it has no snapshot. */
function targetAfter(restore: ResticRestore, { repository }: Pinned): ObjectKey | undefined {
  const targets = targetsOf(restore);
  const asked = repository ? targets.indexOf(keyOf(repository)) : -1;
  return asked < 0 ? undefined : targets[asked + 1];
}

function ask(restore: ResticRestore, key: ObjectKey, passedOver?: string): RestoreSource {
  const { metadata, spec } = restore;
  const { name, namespace = "" } = parseKey(key);
  const last = targetsOf(restore).at(-1) === key;
  const identity = identityOf(metadata.namespace ?? "", spec.targetPVC);
  return {
    resolution: ok({
      type: "Ask",
      repository: { kind: KIND, name, namespace },
      identity,
      point: {},
      shrink: EMPTIED,
      hasNext: !last,
      ...defined({ passedOver }),
      startEmpty: spec.continueWithoutSnapshot || !last ? "Always" : "Never",
    }),
  };
}

/** Whose snapshot an ID is of, nobody can tell before it is read. */
const FOREIGN_SNAPSHOT: Problem = refused(
  "SnapshotForbidden",
  "A snapshot of a repository in another namespace cannot be chosen by its ID: it may be of a PVC of somebody else. Leave snapshotID out for the latest one of this PVC, or name a ResticBackup.",
);

function ofBackup(
  name: string,
  backup: ResticBackup | undefined,
  { metadata, spec }: ResticRestore,
): RestoreSource {
  const what = `ResticBackup ${metadata.namespace}/${name}`;
  if (!backup || backup.metadata.deletionTimestamp) {
    const message = `${what} does not exist. Create a new ResticRestore with the name of one that does, or with backupTarget.`;
    return { resolution: err(waits("BackupNotFound", message)) };
  }
  const { phase, state } = backup.status ?? {};
  if (phase === "Failed") {
    return {
      resolution: err(refused("BackupFailed", `${what} has failed, and has no snapshot. Name another one.`)),
    };
  }
  const { snapshots = [], plan } = (state ?? {}) as BackupState;
  const [made] = snapshots;
  if (phase !== "Completed" || !made || !plan) {
    return { resolution: err(waits("BackupPending", `${what} has not ended yet.`)), isUnderWay: true };
  }
  if (spec.snapshotID !== undefined && !made.id.startsWith(spec.snapshotID)) {
    const message = `${what} is snapshot ${made.id}, and snapshotID names another one. Leave one of both out.`;
    return { resolution: err(refused("SnapshotMismatch", message)) };
  }
  const { id: snapshotID, identity, root, runID, owner, fidelity } = made;
  const { name: repository, namespace, uid, uniqueID } = plan.repository;
  return {
    resolution: ok({
      type: "Pinned",
      pinned: {
        backupRef: { name, namespace: metadata.namespace ?? "" },
        repository: {
          kind: KIND,
          name: repository,
          ...defined({ namespace, uid, uniqueID }),
        },
        identity,
        snapshotID,
        ...defined({ root, runID, owner, fidelity }),
        pinnedAt: metadata.creationTimestamp,
      },
    }),
  };
}
