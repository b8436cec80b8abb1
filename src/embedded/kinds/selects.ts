import { type LabelRequirement, type Labels, selects as matches } from "../../kube/label_selector.ts";
import { type Fields, fieldsOf, listOf } from "./fields.ts";

/** True when a LabelSelector, as objects hold it, selects these labels. The empty one selects all. */
export function selects(selector: unknown, labels: Fields): boolean {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  // What is no text or list matches nothing, and is looked at by nobody else.
  const requirements = listOf(matchExpressions).map(
    ({ values, ...one }) => ({ ...one, values: Array.isArray(values) ? values : [] }) as unknown,
  ) as readonly LabelRequirement[];
  return matches(
    { matchLabels: fieldsOf(matchLabels) as Labels, matchExpressions: requirements },
    labels as Labels,
  );
}
