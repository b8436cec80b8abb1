import { type Pod, Pods, SubjectAccessReviews } from "../../kube/builtin.ts";
import type { GrantedRules, PolicyRule } from "../../kube/policy_rules.ts";
import { messageOf } from "../../lib/result.ts";
import type { Call, Cluster } from "../frame/command.ts";
import type { SeenOperator, WantedRight } from "./judge_operator.ts";

const OPERATORS = "app.kubernetes.io/name=holdfast,app.kubernetes.io/component=operator";
/** Others may run beside it, such as a proxy that was put in front of it. */
const CONTAINER = "operator";
/** Questions to the API server at a time. */
const AT_ONCE = 20;

/** The pods of the operators that run here: of each account one. */
export async function operatorPods({ signal }: Call, { client }: Cluster): Promise<ReadonlyMap<string, Pod>> {
  const { items } = await client.list(Pods, { labelSelector: OPERATORS, signal });
  return new Map(items.map((pod) => [accountOf(pod).name, pod]));
}

/** Looks whether the operators that run here may do what they need, by the account of each. */
export async function lookAtOperators(call: Call, cluster: Cluster): Promise<readonly SeenOperator[]> {
  const byAccount = await operatorPods(call, cluster);
  const seen: SeenOperator[] = [];
  for (const [account, pod] of byAccount) {
    const { namespace = "" } = pod.metadata;
    const rules = await call.operatorRules(envOf(pod), namespace).catch((error: unknown) => messageOf(error));
    if (typeof rules === "string") {
      seen.push({ account, problem: rules });
      continue;
    }
    const wanted = wantedRights(rules, namespace);
    const missing: WantedRight[] = [];
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const some = wanted.slice(at, at + AT_ONCE);
      const allowed = await Promise.all(some.map((right) => isAllowed(call, cluster, pod, right)));
      missing.push(...some.filter((_, index) => !allowed[index]));
    }
    seen.push({ account, missing, asked: wanted.length });
  }
  return seen;
}

function accountOf({ metadata, spec }: Pod): { readonly name: string; readonly groups: readonly string[] } {
  const { namespace = "" } = metadata;
  return {
    name: `system:serviceaccount:${namespace}:${spec?.serviceAccountName ?? "default"}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

/** What the operator's container is told, as far as the pod itself says it: others' Secrets are not read for it. */
export function envOf({ metadata, spec }: Pod): Readonly<Record<string, string>> {
  const { env = [] } = spec?.containers.find(({ name }) => name === CONTAINER) ?? {};
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.namespace": metadata.namespace,
    "metadata.name": metadata.name,
  };
  return Object.fromEntries(
    env.flatMap(({ name, value, valueFrom }) => {
      const text = value ?? fields[valueFrom?.fieldRef?.fieldPath ?? ""];
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

function wantedRights({ cluster, home }: GrantedRules, namespace: string): readonly WantedRight[] {
  const single = (rule: PolicyRule, where: { readonly namespace?: string }): readonly WantedRight[] =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        (rule.resourceNames ?? [undefined]).flatMap((name) =>
          rule.verbs.map((verb) => ({ verb, group, resource, ...(name ? { name } : {}), ...where })),
        ),
      ),
    );
  return [
    ...cluster.flatMap((rule) => single(rule, {})),
    ...home.flatMap((rule) => single(rule, { namespace })),
  ];
}

async function isAllowed(
  { signal }: Call,
  { client }: Cluster,
  pod: Pod,
  { verb, group, resource, name, namespace }: WantedRight,
): Promise<boolean> {
  const { name: user, groups } = accountOf(pod);
  const [plural = "", subresource] = resource.split("/");
  const resourceAttributes = {
    verb,
    group,
    resource: plural,
    ...(subresource ? { subresource } : {}),
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
  };
  const spec = { user, groups: [...groups], resourceAttributes };
  const review = await client.create(SubjectAccessReviews, { metadata: { name: "" }, spec }, { signal });
  return review.status?.allowed === true;
}
