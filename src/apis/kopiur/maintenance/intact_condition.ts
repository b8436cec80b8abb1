import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { MaintenanceStatus } from "../../../kinds/kopiur/generated/maintenance.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { Condition, WantedCondition } from "../../../kube/write/conditions.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { MISSING_REMEDY, missingText } from "./missing_text.ts";

/** What a repository says of itself after a check; undefined before the first. Without times: it changes with what is found. */
export function intactCondition(lastCheck: MaintenanceStatus["lastCheck"]): WantedCondition | undefined {
  if (!lastCheck) return undefined;
  const type = CONDITIONS.intact;
  const { healthy, missing, problems = [] } = lastCheck;
  if (healthy) {
    const message = "The last check found everything that the repository's index names.";
    return { type, status: "True", reason: "Checked", message };
  }
  if (missing) {
    const message = `${missingText(missing)} ${MISSING_REMEDY}`;
    return { type, status: "False", reason: REASONS.dataMissing, message };
  }
  const [first = "no details are known"] = problems;
  const message = `The last check found damage: ${first}. The Maintenance says more.`;
  return { type, status: "False", reason: "Corrupt", message };
}

/** What is told when it comes to be otherwise; nothing while it stays, nor when the first check finds nothing. */
export function intactNews(
  conditions: readonly Condition[],
  { status, reason, message }: WantedCondition,
): readonly EventNote[] {
  const before = conditions.find(({ type }) => type === CONDITIONS.intact);
  if (status === "False" && (before?.status !== status || before.reason !== reason)) {
    return [{ type: "Warning", reason, message }];
  }
  if (status === "True" && before?.status === "False") return [{ type: "Normal", reason: "Intact", message }];
  return [];
}
