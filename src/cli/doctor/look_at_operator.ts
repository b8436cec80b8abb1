import { type Pod, Pods } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { GrantedRules, PolicyRule } from "../../kube/policy_rules.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call, Cluster } from "../frame/command.ts";
import type { SeenOperator, WantedRight } from "./judge_operator.ts";

const OPERATORS = "app.kubernetes.io/name=holdfast,app.kubernetes.io/component=operator";
/** Questions to the API server at a time. */
const AT_ONCE = 20;

interface AccessReview extends KubeObject {
  readonly spec: {
    readonly user: string;
    readonly groups: readonly string[];
    readonly resourceAttributes: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly allowed?: boolean };
}

const AccessReviews: Resource<AccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
};

/** Looks whether the operators that run here may do what they need, by the account of each. */
export async function lookAtOperators(call: Call, cluster: Cluster): Promise<readonly SeenOperator[]> {
  const { items } = await cluster.client.list(Pods, { labelSelector: OPERATORS, signal: call.signal });
  const byAccount = new Map(items.map((pod) => [accountOf(pod).name, pod]));
  const seen: SeenOperator[] = [];
  for (const [account, pod] of byAccount) {
    const rules = await call.operatorRules(envOf(pod), pod.metadata.namespace ?? "");
    const wanted = wantedRights(rules, pod.metadata.namespace ?? "");
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

/** What the pod's own fields fill in is its name or namespace. */
function envOf({ metadata, spec }: Pod): Readonly<Record<string, string>> {
  const { env = [] } = spec?.containers[0] ?? {};
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      const field = valueFrom?.fieldRef?.fieldPath;
      return [name, value ?? (field === "metadata.namespace" ? (metadata.namespace ?? "") : metadata.name)];
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
  const spec = { user, groups, resourceAttributes };
  const review = await client.create(AccessReviews, { metadata: { name: "" }, spec }, { signal });
  return review.status?.allowed === true;
}
