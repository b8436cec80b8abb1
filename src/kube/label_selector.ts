/** Labels to choose objects or namespaces by; Kubernetes' own shape. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** True when a selector selects these labels. The empty one selects all. */
export function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((requirement) => holds(requirement, labels))
  );
}

function holds({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = labelOf(labels, key);
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
    default:
      // What nobody knows selects nothing.
      return false;
  }
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
