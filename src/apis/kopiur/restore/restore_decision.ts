import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Decision } from "../decision.ts";
import type { Problem } from "../problem.ts";
import { recordsOf } from "../records.ts";
import { soonest } from "../soonest.ts";
import { conditionsFor, newsOf, type Stand, standOf, wakeFor } from "../verdicts.ts";
import { awaited, withoutPlaces } from "./awaited.ts";
import type { ObservedRestore } from "./observed_restore.ts";
import { restoreConditions, restored } from "./restore_conditions.ts";
import type { NoRun } from "./restore_outlook.ts";

/** What of a decision differs from one to the next: parts of the status, and what is done. */
export type RestoreFields = Partial<RestoreStatus> & Partial<Omit<Decision<never>, "status">>;

export function decided(
  observed: ObservedRestore,
  stand: Stand,
  fields: RestoreFields,
): Decision<RestoreStatus> {
  const { restore, now } = observed;
  const { intents = [], wakeAt, ...status } = fields;
  const { failure: _, progress: __, waiting: ___, ...kept } = restore.status ?? {};
  const { generation } = restore.metadata;
  return {
    status: {
      ...kept,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      sourceKind: Object.keys(restore.spec.source)[0] ?? "",
      ...status,
      conditions: conditionsFor(
        restore,
        stand,
        [...restored({ ...kept, ...status }), ...restoreConditions({ ...kept, ...status })],
        now,
      ),
    },
    intents,
    events: newsOf(restore, stand),
    wakeAt,
  };
}

export function held(
  observed: ObservedRestore,
  problem: Problem,
  fields: RestoreFields = {},
): Decision<RestoreStatus> {
  const phase = problem.class === "terminal" ? "Failed" : "Pending";
  const { restore, now } = observed;
  // Whoever cannot begin needs no seat meanwhile; a Job has its own until it has ended.
  const work = withoutPlaces(restore.status ?? {}, ({ job }) => job === undefined);
  return decided(observed, standOf(problem), { phase, ...work, ...fields, wakeAt: wakeFor(problem, now) });
}

/** The source, or the repository that it is in, is not there: it is waited for as long as the policy says. */
export function missing(
  observed: ObservedRestore,
  problem: Problem,
  fields: RestoreFields = {},
): Decision<RestoreStatus> {
  if (problem.class === "terminal") return held(observed, problem, fields);
  const { problem: now, waiting, until } = awaited(observed.restore, problem, observed.now);
  if (now.class === "terminal") {
    const work = { ...recordsOf(observed.restore.status), ...fields.work };
    return held(observed, now, { ...fields, waiting, phase: "Failed", ...withoutPlaces({ work }) });
  }
  const wakeAt = soonest(until, fields.wakeAt, wakeFor(problem, observed.now));
  return decided(observed, standOf(problem), { phase: "Pending", ...fields, waiting, wakeAt });
}

/** There can be no run now. */
export function withoutRun(
  observed: ObservedRestore,
  problem: NoRun,
  begun: boolean,
  fields: RestoreFields = {},
): Decision<RestoreStatus> {
  return problem.away && !begun ? missing(observed, problem, fields) : held(observed, problem, fields);
}
