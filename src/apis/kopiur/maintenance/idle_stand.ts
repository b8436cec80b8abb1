import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Maintenance, MaintenanceStatus } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { MaintenancePhase } from "../../../kinds/kopiur/phases.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { ERROR_CLASSES } from "../../../wire/error_classes.ts";
import type { Problem } from "../problem.ts";
import { sentence } from "../run_words.ts";
import { type Stand, standOf } from "../verdicts.ts";
import { MISSING_REMEDY, missingText } from "./missing_text.ts";
import { foreignOwner, standBehind } from "./ownership.ts";
import type { Plan } from "./plan_turn.ts";

export interface Idle {
  readonly maintenance: Maintenance;
  /** As it will be. */
  readonly status: MaintenanceStatus;
  readonly plan: Pick<Plan, "next">;
  readonly problem?: Problem | undefined;
  readonly stopped: boolean;
}

/** How a Maintenance stands while nothing runs. The first that applies counts. */
export function idleStand(idle: Idle): { readonly phase: MaintenancePhase; readonly stand: Stand } {
  const { maintenance, status, problem, stopped } = idle;
  if (problem) return { phase: problem.class === "terminal" ? "Failed" : "Pending", stand: standOf(problem) };
  if (stopped) return { phase: "Suspended", stand: STOPPED };
  if (status.lastCheck?.healthy === false) return { phase: "Failed", stand: damaged(status) };
  const owner = foreignOwner(maintenance, status);
  if (owner !== undefined) {
    const stand = standBehind(owner, maintenance);
    return { phase: stand.state === "ready" ? "Ready" : "Pending", stand };
  }
  if (status.failure) return { phase: "Failed", stand: failed(idle, status.failure) };
  if (maintenance.spec.schedule.suspend) return { phase: "Suspended", stand: SUSPENDED };
  const message = `The repository is maintained by schedule. ${nextRun(idle)}`;
  return { phase: "Ready", stand: { state: "ready", reason: "Scheduled", message } };
}

const STOPPED: Stand = {
  state: "stalled",
  reason: REASONS.cancelled,
  message: `The run was ended, and none begins while the annotation ${ANNOTATIONS.cancel} or ${ANNOTATIONS.skipSnapshotCleanup} is there. Remove it when the repository is to be maintained again.`,
};

const SUSPENDED: Stand = {
  state: "ready",
  reason: "Suspended",
  message: "No runs begin by schedule. Set spec.schedule.suspend to false when they are wanted again.",
};

function damaged({ lastCheck }: MaintenanceStatus): Stand {
  if (lastCheck?.missing) {
    const message = `${missingText(lastCheck.missing)} ${MISSING_REMEDY}`;
    return { state: "stalled", reason: REASONS.dataMissing, message };
  }
  const [first = "no details are known", ...more] = lastCheck?.problems ?? [];
  const others = more.length > 0 ? ` and ${more.length} more` : "";
  const message = `The check of ${lastCheck?.at} found damage: ${first}${others}. ${ERROR_CLASSES.Corrupt.remedy} Nothing is cleaned up before a check finds none.`;
  return { state: "stalled", reason: "Corrupt", message };
}

function failed(idle: Idle, failure: NonNullable<MaintenanceStatus["failure"]>): Stand {
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
