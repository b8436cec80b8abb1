import type { LabelSelector } from "../../kube/label_selector.ts";
import type { Violation } from "../reconcile/violation.ts";

/** What is wrong with a selector, at this field: Kubernetes refuses such a one of its own. */
export function selectorViolations(
  { matchExpressions = [] }: LabelSelector,
  at: string,
): readonly Violation[] {
  return matchExpressions.flatMap(({ operator, values = [] }, index) => {
    const wants = operator === "In" || operator === "NotIn";
    if (wants === values.length > 0) return [];
    return [
      {
        reason: "SelectorInvalid",
        field: `${at}.matchExpressions[${index}].values`,
        what: `the condition with ${operator} cannot be used`,
        why: wants ? "it lists no values" : "it lists values, and compares with none",
        fix: wants ? "List the values" : "Remove the values, or use In or NotIn",
      },
    ];
  });
}
