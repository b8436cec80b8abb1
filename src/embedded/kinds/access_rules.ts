import { invalid, notSupported, type Problem, required } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import { change, each, type Fields, fieldsOf, listOf } from "./fields.ts";
import type { KindRules } from "./kind_rules.ts";

const GROUP = "rbac.authorization.k8s.io";

function has(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

function checkRule(rule: Fields, path: string, namespaced: boolean): readonly Problem[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs: urls } = rule;
  const problems: Problem[] = has(verbs)
    ? []
    : [required(`${path}.verbs`, "verbs must contain at least one value")];
  if (!has(urls)) {
    if (!has(apiGroups))
      problems.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
    if (!has(resources))
      problems.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
    return problems;
  }
  const refuse = (text: string) => problems.push(invalid(`${path}.nonResourceURLs`, urls, text));
  if (namespaced) refuse("namespaced rules cannot apply to non-resource URLs");
  if (has(apiGroups) || has(resources) || has(resourceNames)) {
    refuse("rules cannot apply to both regular resources and non-resource URLs");
  }
  return problems;
}

function roles(namespaced: boolean): KindRules {
  return {
    check: ({ rules }) => listOf(rules).flatMap((rule, i) => checkRule(rule, `rules[${i}]`, namespaced)),
  };
}

function checkSubject(subject: Fields, path: string, namespaced: boolean): readonly Problem[] {
  const { kind, name, apiGroup = "", namespace } = subject;
  const problems: Problem[] = name ? [] : [required(`${path}.name`)];
  switch (kind) {
    case "ServiceAccount":
      if (apiGroup) problems.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
      if (!namespaced && !namespace) problems.push(required(`${path}.namespace`));
      return problems;
    case "User":
    case "Group":
      if (apiGroup !== GROUP) problems.push(notSupported(`${path}.apiGroup`, apiGroup, [GROUP]));
      return problems;
    default:
      return [...problems, notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}

function bindings(namespaced: boolean): KindRules {
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  return {
    defaults: (binding) =>
      change(binding, {
        roleRef: (role) => ({ ...fieldsOf(role), apiGroup: fieldsOf(role).apiGroup || GROUP }),
        subjects: each((subject) =>
          subject.kind === "ServiceAccount" ? subject : { apiGroup: GROUP, ...subject },
        ),
      }),
    check: (binding, old) => {
      const { apiGroup, kind, name } = fieldsOf(binding.roleRef);
      return [
        ...(apiGroup === GROUP ? [] : [notSupported("roleRef.apiGroup", apiGroup, [GROUP])]),
        ...(kinds.includes(String(kind)) ? [] : [notSupported("roleRef.kind", kind, kinds)]),
        ...(name ? [] : [required("roleRef.name")]),
        ...listOf(binding.subjects).flatMap((subject, i) =>
          checkSubject(subject, `subjects[${i}]`, namespaced),
        ),
        ...(old && !jsonEqual(binding.roleRef, old.roleRef)
          ? [invalid("roleRef", binding.roleRef, "cannot change roleRef")]
          : []),
      ];
    },
  };
}

/** What the kinds of access control are completed with and refused for; nothing here acts by them. */
export const roleRules: KindRules = roles(true);
/** As for roles, everywhere. */
export const clusterRoleRules: KindRules = roles(false);
/** Bindings, whose role stays the same. */
export const roleBindingRules: KindRules = bindings(true);
/** As for bindings, everywhere. */
export const clusterRoleBindingRules: KindRules = bindings(false);
