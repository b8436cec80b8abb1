import type { LabelSelector } from "../../../kube/admission/webhook.ts";

export type Labels = Readonly<Record<string, string>>;

/** True when a selector selects these labels. The empty one selects all. */
export function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  const labelOf = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const holds = ({ key, operator, values = [] }: (typeof matchExpressions)[number]): boolean => {
    const value = labelOf(key);
    const listed = value !== undefined && values.includes(value);
    switch (operator) {
      case "In":
        return listed;
      case "NotIn":
        return !listed;
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
    }
  };
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(key) === value) &&
    matchExpressions.every(holds)
  );
}
