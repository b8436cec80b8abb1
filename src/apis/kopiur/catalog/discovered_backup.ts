import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import { cut } from "../../../core/reconcile/task_words.ts";
import type { Backup, BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { type Condition, mergeConditions, ready } from "../../../kube/write/conditions.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { labelValue } from "../../../lib/names.ts";
import { onlyOwner } from "../../../wire/only_owner.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import { type ReadyRepository, resolvedRepository } from "../references.ts";
import { withSizeTexts } from "../size_texts.ts";

/** Longer ones are nobody's of ours. */
const MAX_RUN = 64;

/** Whoever deletes such a Backup deletes no snapshot: the operator did not make it, and others may need it. */
export const DISCOVERED_SPEC = { deletionPolicy: "Retain" } as const;

/** The labels of the Backup that stands for a snapshot that was found. */
export function discoveredLabels(
  { metadata }: ReadyRepository,
  { id, identity }: Snapshot,
): Readonly<Record<string, string>> {
  return {
    [LABELS.origin]: "discovered",
    [LABELS.repository]: labelValue(metadata.name),
    [LABELS.repositoryUID]: metadata.uid,
    [LABELS.identityHash]: fingerprint(`${identity.username}@${identity.hostname}`, 12),
    [LABELS.snapshotID]: labelValue(id),
  };
}

/** Its status. `present`: the Backup, where there is one already. */
export function discoveredStatus(
  repository: ReadyRepository,
  snapshot: Snapshot,
  present: Backup | undefined,
  now: number,
): BackupStatus {
  const { username, hostname } = snapshot.identity;
  const entry = snapshotStatus(snapshot);
  return withSizeTexts({
    phase: "Discovered",
    origin: "discovered",
    snapshot: entry,
    snapshots: [entry],
    timing: timingOf(snapshot),
    stats: statsOf(snapshot),
    resolved: {
      repository: resolvedRepository(repository),
      engine: repository.spec.engine,
      deletionPolicy: DISCOVERED_SPEC.deletionPolicy,
      identity: { username, hostname },
    },
    conditions: conditionsOf(present?.status?.conditions ?? [], snapshot, now),
  });
}

function snapshotStatus({ id, identity, root, run, bytes, ...rest }: Snapshot): SnapshotStatus {
  const { username, hostname, path } = identity;
  return {
    kopiaSnapshotID: id,
    ...(root === undefined ? {} : { root }),
    ...(run && run.length <= MAX_RUN ? { runID: run } : {}),
    identity: { username, hostname, sourcePath: path },
    ...(bytes === undefined ? {} : { sizeBytes: bytes }),
    fidelity: rest.fidelity,
    ...(rest.incomplete ? { incomplete: cut(rest.incomplete, 256) } : {}),
    ...onlyOwner(rest.owners),
  };
}

function timingOf({ startedAt, endedAt = "" }: Snapshot): NonNullable<BackupStatus["timing"]> {
  const begun = Date.parse(startedAt);
  const ended = Date.parse(endedAt);
  if (Number.isNaN(ended) || ended < begun) return { startTime: timestamp(begun) };
  return {
    startTime: timestamp(begun),
    endTime: timestamp(ended),
    durationSeconds: Math.round((ended - begun) / 1000),
  };
}

function statsOf({ bytes, files, folders, failedFiles }: Snapshot): NonNullable<BackupStatus["stats"]> {
  return {
    ...(bytes === undefined ? {} : { sizeBytes: bytes }),
    ...(files === undefined ? {} : { files }),
    ...(folders === undefined ? {} : { folders }),
    ...(failedFiles === undefined ? {} : { filesFailed: failedFiles }),
  };
}

/** What it said of a snapshot that was missing does not hold any more: it was found. */
function conditionsOf(present: readonly Condition[], { id }: Snapshot, now: number): readonly Condition[] {
  const message = `The snapshot ${id} was found in the repository.`;
  const kept = present.filter(({ type }) => type !== CONDITIONS.snapshotMissing);
  const created = {
    type: CONDITIONS.snapshotCreated,
    status: "True",
    reason: "Discovered",
    message,
  } as const;
  return mergeConditions(
    kept,
    [...ready({ reason: "Discovered", message, generation: undefined }), created],
    now,
  );
}
