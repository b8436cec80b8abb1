import { type Condition, mergeConditions } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { ERROR_CLASSES } from "../../wire/error_classes.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { Decision } from "../reconcile/decision.ts";
import { conditionsFor, newsOf, type ReadyState } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import type { Evidence } from "../work/queue/breaker.ts";
import { decisiveSetback } from "./decisive_setback.ts";
import type { Repository, RepositoryState } from "./repository.ts";

export interface Troubled {
  readonly repository: Repository;
  /** What runs have said of its storage. */
  readonly evidence: Evidence;
  /** How all data comes to be read. Default: with the command line. */
  readonly reading?: string | undefined;
  readonly now: number;
}

/**
 * The decision about a repository, with the trouble that its runs and checks met: it is Degraded as soon as one of them
 * says so, and the phase and the conditions agree.
 */
export function withTrouble(
  decision: Decision<RepositoryState>,
  { repository, evidence, reading, now }: Troubled,
): Decision<RepositoryState> {
  const before = decision.status ?? repository.status;
  if (!before) return decision;
  const damage = damageNews({ repository, evidence, reading }, before);
  const status = damage
    ? {
        ...before,
        conditions: mergeConditions(
          before.conditions ?? [],
          [{ type: CONDITIONS.intact, status: "False", reason: damage.reason, message: damage.message }],
          now,
        ),
      }
    : before;
  const events = [...(decision.events ?? []), ...(damage ? [damage] : [])];
  const changed = phaseAfter(status, { repository, evidence, now });
  if (!changed) return damage ? { ...decision, status, events } : decision;
  const { phase, readyState, connected } = changed;
  const object = { ...repository, status };
  const more = connected ? [connected] : [];
  return {
    ...decision,
    status: { ...status, phase, conditions: conditionsFor(object, readyState, more, now) },
    events: [...events, ...(damage ? [] : newsOf(object, readyState))],
  };
}

interface Changed {
  readonly phase: NonNullable<RepositoryState["phase"]>;
  readonly readyState: ReadyState;
  readonly connected?: Omit<Condition, "lastTransitionTime">;
}

function phaseAfter(status: RepositoryState, { evidence }: Troubled): Changed | undefined {
  const setback = status.phase === "Ready" ? decisiveSetback(status, evidence) : undefined;
  if (setback) {
    const reason = setback.failure;
    const message = `A run failed with ${reason}. ${ERROR_CLASSES[reason].remedy} The operator connects again now to check.`;
    const connected = { type: CONDITIONS.connected, status: "False", reason, message } as const;
    return { phase: "Degraded", readyState: troubled({ reason, message }), connected };
  }
  const find = (type: string) => status.conditions?.find((one) => one.type === type);
  const intact = find(CONDITIONS.intact);
  const connected = find(CONDITIONS.connected);
  if (intact?.status === "False") {
    if (status.phase !== "Ready" && !isDamaged(status)) return undefined;
    const said = find("Ready");
    const same =
      status.phase === "Degraded" && said?.reason === intact.reason && said.message === intact.message;
    return same ? undefined : { phase: "Degraded", readyState: troubled(intact) };
  }
  if (!isDamaged(status) || !connected) return undefined;
  const { reason, message } = connected;
  return { phase: "Ready", readyState: { state: "ready", reason, message } };
}

/** It answers, and yet it is Degraded: its data is damaged. */
function isDamaged({ phase, conditions = [] }: RepositoryState): boolean {
  return (
    phase === "Degraded" &&
    conditions.some(({ type, status }) => type === CONDITIONS.connected && status === "True")
  );
}

function troubled({ reason, message }: Pick<ReadyState, "reason" | "message">): ReadyState {
  return { state: "reconciling", reason, message, warning: true };
}

/** What is told when a run has met damage that the repository does not speak of yet. */
function damageNews(
  { repository: { kind, metadata }, evidence: { damagedAt }, reading }: Omit<Troubled, "now">,
  { conditions = [] }: RepositoryState,
): EventNote | undefined {
  if (damagedAt === undefined) return undefined;
  const intact = conditions.find(({ type }) => type === CONDITIONS.intact);
  const since = intact ? Date.parse(intact.lastTransitionTime) : Number.NEGATIVE_INFINITY;
  if (intact?.status === "False" || damagedAt <= since) return undefined;
  const how = reading ?? `holdfast verify ${kind.toLowerCase()}/${metadata.name} --data-percent 100`;
  const message = `A run read damaged data. Backups that are made from now on may refer to it, and do not count as good until a check has read all data and found nothing: ${how}.`;
  return { type: "Warning", reason: REASONS.damagedDataRead, message };
}
