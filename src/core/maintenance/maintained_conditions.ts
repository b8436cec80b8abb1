import { keyOf } from "../../kube/object.ts";
import type { Condition, WantedCondition } from "../../kube/write/conditions.ts";
import type { EventNote } from "../../kube/write/events.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import { REASONS } from "../reconcile/reasons.ts";
import type { CheckState, Maintenance } from "./maintenance.ts";
import { MISSING_REMEDY, missingText } from "./missing_text.ts";
import { NOT_MAINTAINED_YET } from "./ownership.ts";

/** What a check looked at, in a sentence. */
export function readText({ dataPercent = 0 }: Pick<CheckState, "dataPercent">): string {
  if (dataPercent === 0) return "It read none of the stored data, only the structure of the repository.";
  return dataPercent === 100 ? "It read all stored data." : `It read ${dataPercent}% of the stored data.`;
}

type Maintaining = Pick<Maintenance, "kind" | "metadata" | "status">;

/** What a repository says of who maintains it, and of what was found. `reason`: how that one came to it. */
export function maintainedConditions(maintenance: Maintaining, reason: string): readonly WantedCondition[] {
  const { kind, metadata, status } = maintenance;
  const claimed = status?.conditions?.find(({ type }) => type === CONDITIONS.ownershipClaimed);
  const configured: WantedCondition = {
    type: CONDITIONS.maintenanceConfigured,
    status: "True",
    reason,
    message: `${kind} ${keyOf(metadata)} maintains the repository.`,
  };
  const { status: owned, reason: why, message } = claimed ?? NOT_MAINTAINED_YET;
  const intact = intactCondition(maintenance);
  return [
    configured,
    { type: CONDITIONS.maintenanceOwned, status: owned, reason: why, message },
    ...(intact ? [intact] : []),
  ];
}

/** What a repository says of itself after a check; undefined before the first. Without times: it changes with what is found. */
function intactCondition({ kind, status }: Maintaining): WantedCondition | undefined {
  const { lastCheck } = status ?? {};
  if (!lastCheck) return undefined;
  const type = CONDITIONS.intact;
  const { healthy, missing, problems = [] } = lastCheck;
  if (healthy) {
    const message = `The last check found no damage. ${readText(lastCheck)}`;
    return { type, status: "True", reason: "Checked", message };
  }
  if (missing) {
    const message = `${missingText(missing)} ${MISSING_REMEDY}`;
    return { type, status: "False", reason: REASONS.dataMissing, message };
  }
  const [first = "no details are known"] = problems;
  const message = `The last check found damage: ${first}. The ${kind} says more.`;
  return { type, status: "False", reason: "Corrupt", message };
}

/** What is told when it comes to be otherwise; nothing while it stays, nor when the first check finds nothing. */
export function intactNews(
  conditions: readonly Condition[],
  wanted: readonly WantedCondition[],
): readonly EventNote[] {
  const { status, reason = "", message = "" } = wanted.find(({ type }) => type === CONDITIONS.intact) ?? {};
  const before = conditions.find(({ type }) => type === CONDITIONS.intact);
  if (status === "False" && (before?.status !== status || before.reason !== reason)) {
    return [{ type: "Warning", reason, message }];
  }
  if (status === "True" && before?.status === "False") return [{ type: "Normal", reason: "Intact", message }];
  return [];
}

/** A run met damage when it read data: what a check that read none finds, says nothing of it. */
export function isDamageRead({ type, status, reason }: WantedCondition): boolean {
  return type === CONDITIONS.intact && status === "False" && reason === REASONS.damagedDataRead;
}

/** What is wanted, without what would cover damage that a run met: only a later check that has read all data ends it. */
export function sparingDamage(
  wanted: readonly WantedCondition[],
  present: readonly Condition[],
  lastCheck: CheckState | undefined,
): readonly WantedCondition[] {
  const damage = present.find(isDamageRead);
  if (!damage) return wanted;
  const whole = lastCheck?.healthy === true && lastCheck.dataPercent === 100;
  if (whole && Date.parse(lastCheck.at) > Date.parse(damage.lastTransitionTime)) return wanted;
  return wanted.filter(({ type }) => type !== CONDITIONS.intact);
}
