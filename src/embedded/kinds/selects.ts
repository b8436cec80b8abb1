import { type Fields, fieldsOf, listOf } from "./fields.ts";

/** True when a LabelSelector, as objects hold it, selects these labels. The empty one selects all. */
export function selects(selector: unknown, labels: Fields): boolean {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  return (
    Object.entries(fieldsOf(matchLabels)).every(([key, value]) => labels[key] === value) &&
    listOf(matchExpressions).every((expression) => holds(expression, labels))
  );
}

function holds({ key, operator, values }: Fields, labels: Fields): boolean {
  const value = labels[String(key)];
  const listed = Array.isArray(values) && values.includes(value);
  switch (operator) {
    case "In":
      return listed;
    case "NotIn":
      return !listed;
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
