import { durationMs } from "../../../core/policy/duration.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { edition } from "../editions.ts";
import type { Outlook } from "../outlook.ts";
import { type Problem, refused } from "../problem.ts";
import type { Remembering } from "../records.ts";
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
