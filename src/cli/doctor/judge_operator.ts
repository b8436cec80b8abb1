import { broken, type Finding, warning, well } from "./finding.ts";

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

export type SeenOperator =
  | {
      readonly account: string;
      readonly missing: readonly WantedRight[];
      /** How many rights were asked about. */
      readonly asked: number;
    }
  /** Why it is not known what it needs. */
  | { readonly account: string; readonly problem: string };

/** Whether each operator may do what it needs. One finding a kind: a person grants them so. */
export function judgeOperators(operators: readonly SeenOperator[]): readonly Finding[] {
  return operators.flatMap((operator) => {
    if ("problem" in operator) return [unread(operator.account, operator.problem)];
    const { account, missing, asked } = operator;
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

/** It may well run: it may be of another version than this command. */
function unread(account: string, problem: string): Finding {
  return warning(
    `what the operator of ${account} needs is not known`,
    `Its environment is not understood: ${problem}`,
    "Use the holdfast of the operator's version; or set the variable right, by the chart's values.",
  );
}
