import { mergeConditions } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import { soonest } from "../../lib/soonest.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Decision } from "../reconcile/decision.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { type Breaker, decideBreaker, type Evidence } from "../work/queue/breaker.ts";
import type { Repository, RepositoryState } from "./repository.ts";

/** What goes on at a repository. */
export interface Traffic {
  readonly repository: Repository;
  /** What runs have said of its storage. */
  readonly evidence: Evidence;
  readonly runs: { readonly running: number; readonly waiting: number };
  readonly now: number;
}

type StatusBreaker = NonNullable<RepositoryState["breaker"]>;

/** While runs come and go they are counted anew after this long, in milliseconds: not with each of them. */
const COUNT_AGAIN = 30_000;

/** The decision about a repository, with how its storage fares and what goes on there. */
export function withTraffic(
  decision: Decision<RepositoryState>,
  traffic: Traffic,
): Decision<RepositoryState> {
  const { repository, runs, evidence, now } = traffic;
  const status = decision.status ?? repository.status;
  // Nothing can go on where nothing is known yet.
  if (!status) return decision;
  const breaker = statusBreaker(decideBreaker({ evidence, before: status.breaker, now }));
  const said = breakerNews(status.breaker, breaker);
  const known = status.breaker !== undefined || breaker.consecutiveFailures > 0;
  const busy = runs.running + runs.waiting > 0;
  return {
    ...decision,
    status: {
      ...status,
      ...(known ? { breaker } : {}),
      ...(busy || status.runs ? { runs } : {}),
      ...(said ? { conditions: withHealth(status, said, now) } : {}),
    },
    events: [...(decision.events ?? []), ...(said ? [said] : [])],
    wakeAt: soonest(
      decision.wakeAt,
      busy ? now + COUNT_AGAIN : undefined,
      breaker.state === "Open" ? Date.parse(breaker.nextProbeAt ?? "") : undefined,
    ),
  };
}

/** Times as a status has them. A probe is never due before the breaker says so. */
function statusBreaker({ openedAt, nextProbeAt, ...breaker }: Breaker): StatusBreaker {
  return {
    ...breaker,
    ...(openedAt === undefined ? {} : { openedAt: timestamp(Date.parse(openedAt)) }),
    ...(nextProbeAt === undefined ? {} : { nextProbeAt: timestamp(Date.parse(nextProbeAt) + 999) }),
  };
}

/** What is told when the breaker opens or closes. */
function breakerNews(before: StatusBreaker | undefined, after: StatusBreaker): EventNote | undefined {
  const wasOpen = before !== undefined && before.state !== "Closed";
  if (wasOpen === (after.state !== "Closed")) return undefined;
  const { consecutiveFailures, errorClass } = after;
  return wasOpen
    ? { type: "Normal", reason: "BreakerClosed", message: "The storage can be used again: work goes on." }
    : {
        type: "Warning",
        reason: REASONS.breakerOpen,
        message: `The storage failed ${consecutiveFailures} times in a row (${errorClass}). New work waits, but for maintenance; one run at a time looks whether it is back.`,
      };
}

function withHealth({ conditions = [] }: RepositoryState, { type, reason, message }: EventNote, now: number) {
  const status = type === "Normal" ? "True" : "False";
  return mergeConditions(conditions, [{ type: CONDITIONS.storageHealthy, status, reason, message }], now);
}
