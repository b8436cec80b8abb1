import { timestamp } from "../../kube/write/timestamp.ts";
import { soonest } from "../../lib/soonest.ts";
import { durationMs } from "../policy/duration.ts";
import type { Decision } from "../reconcile/decision.ts";
import { type Problem, refused } from "../reconcile/problem.ts";
import { conditionsFor, newsOf, type ReadyState, readyStateOf, wakeFor } from "../reconcile/ready_state.ts";
import { type Remembering, recordsOf } from "../reconcile/records.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import type { TaskPlan } from "../reconcile/task_plan.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { ObservedRestore } from "./observe_restore.ts";
import { holdsFromStart, type Restore, type RestoreState, type Waiting } from "./restore.ts";
import { type Again, howAgain, restoreConditions, restored } from "./restore_status.ts";
import type { NoRun } from "./restore_tasks.ts";
import { targetIncomplete } from "./target_incomplete.ts";

/** What of a decision differs from one to the next: parts of the status, and what is done. */
export type RestoreFields = Partial<RestoreState> & Partial<Omit<Decision<never>, "status">>;

export function decided(
  observed: ObservedRestore,
  readyState: ReadyState,
  fields: RestoreFields,
): Decision<RestoreState> {
  const { restore, api, ownStatus, now } = observed;
  const { intents = [], wakeAt, ...status } = fields;
  const { failure: _, progress: __, waiting: ___, ...kept } = restore.status ?? {};
  const { generation } = restore.metadata;
  const told = withWayOut(observed, readyState);
  return {
    status: {
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...ownStatus,
      ...status,
      conditions: conditionsFor(
        restore,
        told,
        [
          ...restored({ ...kept, ...status }, api.words),
          ...restoreConditions({ ...kept, ...status }, api.words),
          ...targetIncomplete(restore, { ...kept, ...status }),
        ],
        now,
      ),
    },
    intents,
    events: newsOf(restore, told),
    wakeAt,
  };
}

/** What goes wrong keeps workloads down that wait for the data from the start. */
function withWayOut({ restore, api }: ObservedRestore, readyState: ReadyState): ReadyState {
  const { wayOut = "" } = api.words;
  const { state, warning, message } = readyState;
  const waits = holdsFromStart(restore) && restore.status?.scaledWorkloads !== undefined;
  if (!wayOut || !waits || state !== "reconciling" || !warning || message.includes(wayOut)) return readyState;
  return { ...readyState, message: `${message} ${wayOut}` };
}

export function held(
  observed: ObservedRestore,
  problem: Problem,
  fields: RestoreFields = {},
): Decision<RestoreState> {
  const phase = problem.class === "terminal" ? "Failed" : "Pending";
  const { restore, now } = observed;
  // Whoever cannot begin needs no slot meanwhile; a Job has its own until it has ended.
  const work = withoutPlaces(restore.status ?? {}, ({ job }) => job === undefined);
  return decided(observed, readyStateOf(problem), {
    phase,
    ...work,
    ...fields,
    wakeAt: wakeFor(problem, now),
  });
}

/** The source, or the repository that it is in, is not there: it is waited for as long as the policy says. */
export function missing(
  observed: ObservedRestore,
  problem: Problem,
  fields: RestoreFields = {},
): Decision<RestoreState> {
  if (problem.class === "terminal") return held(observed, problem, fields);
  const { restore, api } = observed;
  const { problem: now, waiting, until } = awaited(restore, problem, observed.now, api.words);
  if (now.class === "terminal") {
    const work = { ...recordsOf(observed.restore.status), ...fields.work };
    return held(observed, now, { ...fields, waiting, phase: "Failed", ...withoutPlaces({ work }) });
  }
  const wakeAt = soonest(until, fields.wakeAt, wakeFor(problem, observed.now));
  return decided(observed, readyStateOf(problem), { phase: "Pending", ...fields, waiting, wakeAt });
}

/** There can be no run now. */
export function withoutRun(
  observed: ObservedRestore,
  problem: NoRun,
  begun: boolean,
  fields: RestoreFields = {},
): Decision<RestoreState> {
  return problem.away && !begun ? missing(observed, problem, fields) : held(observed, problem, fields);
}

/** A source that is not there, and how long it is waited for. */
export interface Awaited {
  /** Terminal once the time is over. */
  readonly problem: Problem;
  readonly waiting: Waiting;
  /** When the time is over, in milliseconds since 1970. */
  readonly until: number;
}

/**
 * How a restore waits for its source: from when it first missed it, for as long as its policy says. An edit begins
 * anew.
 */
export function awaited(restore: Restore, problem: Problem, now: number, words: Again): Awaited {
  const mark = specFingerprint(restore);
  const { waiting: before } = restore.status ?? {};
  const begun = before?.edition === mark ? Date.parse(before.since) : now;
  // A clock that was set back must not make it wait for longer.
  const since = Math.min(begun, now);
  const until = since + durationMs(restore.spec.policy.waitTimeout);
  const waiting = { since: timestamp(since), edition: mark };
  return { problem: now < until ? problem : overdue(restore, problem, words), waiting, until };
}

/** Since when it waits, while a run looks once more: a storage that does not answer is tried again and again. */
export function stillWaiting(restore: Restore, { decision }: TaskPlan): { readonly waiting?: Waiting } {
  const { waiting } = restore.status ?? {};
  // Who waits for his turn misses nothing.
  return decision.state.phase !== "Held" && waiting?.edition === specFingerprint(restore) ? { waiting } : {};
}

/** What is said of a source that has been waited for long enough. */
function overdue({ spec }: Restore, { reason, message }: Problem, words: Again): Problem {
  const { waitTimeout } = spec.policy;
  const next = spec.target === undefined ? "The claim is filled as soon as it is there." : howAgain(words);
  return refused(reason, `${message} It was not there within ${waitTimeout}. ${next}`);
}

/** What is remembered, with those runs waiting for no slot. Default: all of them, as whoever has given up. */
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
