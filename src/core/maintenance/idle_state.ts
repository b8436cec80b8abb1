import { timestamp } from "../../kube/write/timestamp.ts";
import { ERROR_CLASSES } from "../../wire/error_classes.ts";
import { annotationName, annotationOf } from "../reconcile/annotations.ts";
import type { Problem } from "../reconcile/problem.ts";
import { type ReadyState, readyStateOf } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { sentence } from "../reconcile/task_words.ts";
import type { Maintenance, MaintenancePhase, MaintenanceState } from "./maintenance.ts";
import { MISSING_REMEDY, missingText } from "./missing_text.ts";
import { foreignOwner, ownedByAnother } from "./ownership.ts";
import type { Plan } from "./plan_run.ts";

export interface Idle {
  readonly maintenance: Maintenance;
  /** As it will be. */
  readonly status: MaintenanceState;
  readonly plan: Pick<Plan, "next">;
  readonly problem?: Problem | undefined;
  readonly stopped: boolean;
  /** How a suspension is ended, in the words of the API. */
  readonly resume: string;
}

/** How maintenance stands while nothing runs. The first that applies counts. */
export function idleState(idle: Idle): { readonly phase: MaintenancePhase; readonly readyState: ReadyState } {
  const { maintenance, status, problem, stopped } = idle;
  if (problem)
    return { phase: problem.class === "terminal" ? "Failed" : "Pending", readyState: readyStateOf(problem) };
  if (stopped) return { phase: "Suspended", readyState: stoppedState(maintenance) };
  if (status.lastCheck?.healthy === false) return { phase: "Failed", readyState: damaged(status) };
  const owner = foreignOwner(maintenance, status);
  if (owner !== undefined) {
    const readyState = ownedByAnother(owner, maintenance);
    return { phase: readyState.state === "ready" ? "Ready" : "Pending", readyState };
  }
  if (status.failure) return { phase: "Failed", readyState: failed(idle, status.failure) };
  if (maintenance.spec.schedule.suspend) return { phase: "Suspended", readyState: suspendedState(idle) };
  const message = `The repository is maintained by schedule. ${nextRun(idle)}`;
  return { phase: "Ready", readyState: { state: "ready", reason: "Scheduled", message } };
}

function stoppedState(maintenance: Maintenance): ReadyState {
  const [cancel, skip] = STOPPING.map((name) => annotationName(maintenance, name));
  const message = `The run was ended, and none begins while the annotation ${cancel} or ${skip} is there. Remove it when the repository is to be maintained again.`;
  return { state: "stalled", reason: REASONS.cancelled, message };
}

const STOPPING = ["cancel", "skip-snapshot-cleanup"];

/** Somebody wants what runs to end, and nothing more to begin. */
export function isStopped(maintenance: Maintenance): boolean {
  return STOPPING.some((name) => annotationOf(maintenance, name) === "true");
}

function suspendedState({ resume }: Idle): ReadyState {
  const message = `Suspended: no runs begin by schedule. ${resume}`;
  return { state: "ready", reason: "Suspended", message };
}

function damaged({ lastCheck }: MaintenanceState): ReadyState {
  if (lastCheck?.missing) {
    const message = `${missingText(lastCheck.missing)} ${MISSING_REMEDY}`;
    return { state: "stalled", reason: REASONS.dataMissing, message };
  }
  const [first = "no details are known", ...more] = lastCheck?.problems ?? [];
  const others = more.length > 0 ? ` and ${more.length} more` : "";
  const message = `The check of ${lastCheck?.at} found damage: ${first}${others}. ${ERROR_CLASSES.Corrupt.remedy} Nothing is cleaned up before a check finds none.`;
  return { state: "stalled", reason: "Corrupt", message };
}

function failed(idle: Idle, failure: NonNullable<MaintenanceState["failure"]>): ReadyState {
  const { errorClass: reason, message, remedy = "", retry } = failure;
  const text = `${sentence({ message, remedy })} ${nextRun(idle)}`;
  if (retry === "terminal") return { state: "stalled", reason, message: text };
  return { state: "reconciling", reason, message: text, warning: true };
}

function nextRun({ plan: { next } }: Idle): string {
  const { quick, full } = next;
  const soonest = full && (!quick || full.at <= quick.at) ? full : quick;
  if (!soonest) return "No run is due.";
  return `The next run, a ${soonest === full ? "full" : "quick"} one, begins at ${timestamp(soonest.at)}.`;
}
