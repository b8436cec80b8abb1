import { blocked, type Problem } from "../../../core/reconcile/problem.ts";
import { newsOf, readyStateOf, wakeFor } from "../../../core/reconcile/ready_state.ts";
import { recordsOf } from "../../../core/reconcile/records.ts";
import type { SlotDecision, SlotMemory } from "../../../core/schedule/decide_slot.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ApiError } from "../../../kube/api_error.ts";
import { soonest } from "../../../lib/soonest.ts";
import { configStatus } from "./config_status.ts";
import type { ConfigDecision } from "./decide_config.ts";
import type { ObservedConfig, TargetDecision } from "./observed_config.ts";
import { retentionKey, slotKey } from "./target_slots.ts";

/** What the API server refused. */
export interface Refused {
  readonly error: ApiError;
  /** Backups that retention could not delete. */
  readonly kept: readonly ResticBackup[];
}

/** What is said while writes are refused: the rest was done, and what was due stays due, so that it is tried again. */
export function whileRefused(
  observed: ObservedConfig,
  decision: ConfigDecision,
  { error, kept }: Refused,
): Pick<ConfigDecision, "status" | "news" | "wakeAt"> {
  const { config, now } = observed;
  const problem = problemOf(error);
  const readyState = readyStateOf(problem);
  const before = recordsOf(config.status) as Readonly<Record<string, SlotMemory>>;
  const targets = decision.targets.map(
    (one): TargetDecision => ({
      ...one,
      slot: undone(one.slot, before[slotKey(one.target.name)]),
      retention: undone(one.retention, before[retentionKey(one.target.name)]),
      surplus: one.surplus.filter((backup) => !kept.includes(backup)),
    }),
  );
  return {
    status: configStatus(observed, targets, readyState),
    news: newsOf(config, readyState),
    wakeAt: soonest(decision.wakeAt, wakeFor(problem, now)),
  };
}

function problemOf({ message }: ApiError): Problem {
  return blocked(
    "WriteRefused",
    `The API server refuses a write: ${message}. What was asked for in that namespace is tried again; allow it, or change what refuses it (a quota, a policy, a webhook).`,
  );
}

function undone({ due, ...slot }: SlotDecision, memory: SlotMemory | undefined): SlotDecision {
  const { memory: _, ...rest } = slot;
  return due === undefined ? slot : { ...rest, ...(memory ? { memory } : {}) };
}
