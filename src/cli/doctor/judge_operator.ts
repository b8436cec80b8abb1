import { broken, type Finding, well } from "./finding.ts";

/** Something that an operator needs to be allowed. */
export interface WantedRight {
  readonly verb: string;
  readonly group: string;
  /** With its subresource, such as `pods/log`. */
  readonly resource: string;
  /** Default: every name. */
  readonly name?: string;
  /** Default: all of them, or the kind has none. */
  readonly namespace?: string;
}

export interface SeenOperator {
  readonly account: string;
  readonly missing: readonly WantedRight[];
  /** How many rights were asked about. */
  readonly asked: number;
}

/** Whether each operator may do what it needs. One finding a kind: a person grants them so. */
export function judgeOperators(operators: readonly SeenOperator[]): readonly Finding[] {
  return operators.flatMap(({ account, missing, asked }) => {
    if (missing.length === 0) return [well(`${account} has all ${asked} rights that the operator needs`)];
    const kinds = Map.groupBy(missing, (right) =>
      JSON.stringify([right.group, right.resource, right.namespace]),
    );
    return [...kinds.values()].map((rights) => {
      const [{ group, resource, namespace } = { group: "", resource: "", namespace: undefined }] = rights;
      const verbs = [...new Set(rights.map(({ verb }) => verb))].join(", ");
      const what = `${resource}${group ? `.${group}` : ""}`;
      return broken(
        `the operator may not ${verbs} ${what}`,
        `The API server denies it to ${account}${namespace ? `, in namespace ${namespace}` : ""}. What needs it fails, and is tried again.`,
        "Upgrade the release with the chart of the operator's version, which brings its roles; or grant it by a Role of your own.",
      );
    });
  });
}
