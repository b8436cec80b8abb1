import { timestamp } from "../../kube/write/timestamp.ts";
import { identityText } from "../../wire/identity.ts";
import type { HitSnapshot, MissingData } from "../../wire/missing.ts";
import type { CheckAnswer } from "../../wire/report.ts";
import { cut } from "../reconcile/task_words.ts";
import type { CheckState, HitState, MissingState } from "./maintenance.ts";

/** What stands for a snapshot, as namespace/name, if there is one. */
export type BackupOf = (snapshot: HitSnapshot) => string | undefined;

const MOST_PROBLEMS = 8;
const MOST_HIT = 6;
const MOST_EXAMPLES = 2;

export interface CheckFacts {
  readonly backupOf: BackupOf;
  /** How much of the stored data it read. */
  readonly dataPercent: number;
  readonly now: number;
}

/** What a check found, as the status shows it: within bounds, and with the names of what stands for snapshots. */
export function checkOf(
  { problems, missing }: CheckAnswer,
  { backupOf, dataPercent, now }: CheckFacts,
): CheckState {
  return {
    // To the millisecond: who asked for a check knows it by its time, and there may be two within a second.
    at: new Date(now).toISOString(),
    healthy: problems.length === 0,
    dataPercent,
    ...(problems.length === 0
      ? {}
      : { problems: problems.slice(0, MOST_PROBLEMS).map((text) => cut(text, 256)) }),
    ...(missing ? { missing: missingOf(missing, backupOf) } : {}),
  };
}

function missingOf({ packs, snapshots, unexamined, hit }: MissingData, backupOf: BackupOf): MissingState {
  return {
    packs,
    ...(snapshots === undefined ? {} : { snapshots }),
    ...(unexamined === undefined ? {} : { unexamined }),
    ...(hit.length === 0 ? {} : { hit: hit.slice(0, MOST_HIT).map((one) => hitOf(one, backupOf(one))) }),
  };
}

function hitOf(
  { id, identity, startedAt, files, examples }: HitSnapshot,
  backup: string | undefined,
): HitState {
  const at = Date.parse(startedAt);
  return {
    snapshotID: id,
    identity: cut(identityText(identity), 256),
    ...(Number.isNaN(at) ? {} : { startedAt: timestamp(at) }),
    ...(backup === undefined ? {} : { backup }),
    files,
    ...(examples.length === 0
      ? {}
      : { examples: examples.slice(0, MOST_EXAMPLES).map((path) => cut(path, 128)) }),
  };
}
