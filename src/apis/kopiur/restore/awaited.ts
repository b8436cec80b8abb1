import { durationMs } from "../../../core/policy/duration.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { edition } from "../editions.ts";
import type { Outlook } from "../outlook.ts";
import { type Problem, refused, waits } from "../problem.ts";
import { isUnfinished, type Remembering } from "../records.ts";
import { isWriting } from "./others_on_claim.ts";
import type { Sources } from "./resolution.ts";

export type Waiting = NonNullable<RestoreStatus["waiting"]>;

/** A source that is not there, and how long it is waited for. */
export interface Awaited {
  /** Terminal once the time is over. */
  readonly problem: Problem;
  readonly waiting: Waiting;
  /** When the time is over, in milliseconds since 1970. */
  readonly until: number;
}

/**
 * How a Restore waits for its source: from when it first missed it, for as long as its policy says. An edit begins
 * anew.
 */
export function awaited(restore: Restore, problem: Problem, now: number): Awaited {
  const mark = edition(restore);
  const { waiting: before } = restore.status ?? {};
  const begun = before?.edition === mark ? Date.parse(before.since) : now;
  // A clock that was set back must not make it wait for longer.
  const since = Math.min(begun, now);
  const until = since + durationMs(restore.spec.policy.waitTimeout);
  const waiting = { since: timestamp(since), edition: mark };
  return { problem: now < until ? problem : overdue(restore, problem), waiting, until };
}

/** Since when it waits, while a run looks once more: a storage that does not answer is tried again and again. */
export function stillWaiting(restore: Restore, { decision }: Outlook): { readonly waiting?: Waiting } {
  const { waiting } = restore.status ?? {};
  // Who waits for his turn misses nothing.
  return decision.state.phase !== "Held" && waiting?.edition === edition(restore) ? { waiting } : {};
}

/** What is said of a source that has been waited for long enough. */
function overdue({ spec }: Restore, { reason, message }: Problem): Problem {
  const { waitTimeout } = spec.policy;
  const next =
    spec.target === undefined
      ? "The claim is filled as soon as it is there."
      : "Edit the Restore to try again.";
  return refused(reason, `${message} It was not there within ${waitTimeout}. ${next}`);
}

/**
 * Whether it waited for its source until the time was over, and nobody has edited it since: it is over for good. Never
 * while it writes: nobody would look after that any more.
 */
export function hasGivenUp(restore: Restore): boolean {
  const { phase, waiting } = restore.status ?? {};
  return phase === "Failed" && waiting?.edition === edition(restore) && !isWriting(restore);
}

/** Whether a run of it has failed for good, and nobody has edited it since, whatever becomes of its repository. */
export function hasFailed(restore: Restore, record: RunRecord | undefined): boolean {
  return (
    restore.status?.phase === "Failed" && record?.outcome !== undefined && record.edition === edition(restore)
  );
}

/** What is remembered, with those runs waiting for no seat. Default: all of them, as whoever has given up. */
export function withoutPlaces(
  { work }: Remembering,
  which: (record: RunRecord) => boolean = () => true,
): Remembering {
  if (!work) return {};
  const left = Object.entries(work).map(([purpose, known]) => {
    const { place: _, ...rest } = known as RunRecord;
    return [purpose, which(known as RunRecord) ? rest : known] as const;
  });
  return { work: Object.fromEntries(left) };
}

/** A Backup that is being made, or waits for its turn, ends by itself, within deadlines of its own. */
export function goesOn({ backup }: Pick<Sources, "backup">): boolean {
  if (!backup) return false;
  const { phase = "Pending", conditions = [] } = backup.status ?? {};
  const ready = conditions.find(({ type }) => type === "Ready");
  return phase === "Running" || (phase === "Pending" && ready?.reason === REASONS.queued);
}

/** A run for a Restore, and why its repository cannot be used now. */
export interface RestoreOutlook extends Outlook {
  readonly away?: Problem;
}

/** Why there is no run. */
export interface NoRun extends Problem {
  /** Its repository is not there, which is waited for like the source. Anything else goes on once it is put right. */
  readonly away?: boolean;
}

/**
 * Whether a run that writes has written something, as far as is known. It is not given up for a repository that went
 * away: what it left half done is worth waiting for.
 */
export function hasBegun(record: RunRecord | undefined): boolean {
  return isUnfinished(record) && (hasJob(record) || record.startedAt !== undefined);
}

/** Whether a run that only asks has a Job. Without one there is nothing of it to wait for, however often it was tried. */
export function hasJob(record: RunRecord | undefined): boolean {
  return isUnfinished(record) && record.job !== undefined;
}

/** The repository that keeps a run waiting which has not begun. */
export function repositoryAway({ decision, away }: RestoreOutlook, begun: boolean): Problem | undefined {
  const { state } = decision;
  if (state.phase !== "Held" || begun) return undefined;
  const { reason, message } = state;
  return reason === away?.reason || reason === REASONS.breakerOpen ? waits(reason, message) : undefined;
}
