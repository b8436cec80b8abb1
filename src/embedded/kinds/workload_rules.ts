import { forbidden, invalid, type Problem } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import { change, each, type Fields, fieldsOf, listOf } from "./fields.ts";
import { checkImmutable } from "./immutable.ts";
import type { KindRules } from "./kind_rules.ts";
import { checkAlwaysRestarted, checkPodSpec } from "./pod_checks.ts";
import { templateDefaults } from "./pod_defaults.ts";
import { selects } from "./selects.ts";
import { claimDefaults } from "./volume_rules.ts";

const NEGATIVE = "must be greater than or equal to 0";

function checkWorkload(spec: Fields, kind: string, volumes: readonly unknown[] = []): readonly Problem[] {
  const { selector, template } = spec;
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const { labels } = fieldsOf(fieldsOf(template).metadata);
  const pod = fieldsOf(fieldsOf(template).spec);
  const empty = Object.keys(fieldsOf(matchLabels)).length + listOf(matchExpressions).length === 0;
  const problems: Problem[] = ["replicas", "minReadySeconds", "revisionHistoryLimit"]
    .filter((name) => Number(spec[name]) < 0)
    .map((name) => invalid(`spec.${name}`, spec[name], NEGATIVE));
  if (selector !== undefined && empty) {
    problems.push(invalid("spec.selector", selector, `empty selector is invalid for ${kind}`));
  } else if (selector === undefined || !selects(selector, fieldsOf(labels))) {
    const text = "`selector` does not match template `labels`";
    problems.push(invalid("spec.template.metadata.labels", labels ?? null, text));
  }
  return [
    ...problems,
    ...checkPodSpec({ ...pod, volumes: [...volumes, ...listOf(pod.volumes)] }, "spec.template.spec"),
    ...checkAlwaysRestarted(template, "spec.template"),
  ];
}

/** Deployments. */
export const deploymentRules: KindRules = {
  defaults: (deployment) => {
    const given = fieldsOf(deployment.spec);
    const strategy = { type: "RollingUpdate", ...fieldsOf(given.strategy) } as Fields;
    const rolling = { maxUnavailable: "25%", maxSurge: "25%", ...fieldsOf(strategy.rollingUpdate) };
    const spec = change(
      { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, ...given },
      { template: templateDefaults },
    );
    const moving = strategy.type === "RollingUpdate" ? { ...strategy, rollingUpdate: rolling } : strategy;
    return { ...deployment, spec: { ...spec, strategy: moving } };
  },
  check: (deployment, old) => {
    const spec = fieldsOf(deployment.spec);
    const { type, rollingUpdate } = fieldsOf(spec.strategy);
    const rule = "may not be specified when strategy `type` is 'Recreate'";
    return [
      ...checkWorkload(spec, "deployment"),
      ...(type === "Recreate" && rollingUpdate !== undefined
        ? [forbidden("spec.strategy.rollingUpdate", rule)]
        : []),
      ...(old ? checkImmutable(["selector"], spec, fieldsOf(old.spec), "spec.") : []),
    ];
  },
};

const CHANGEABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

/** StatefulSets. Their claims are described as claims are. */
export const statefulSetRules: KindRules = {
  defaults: (set) => {
    const given = fieldsOf(set.spec);
    const { type, rollingUpdate } = fieldsOf(given.updateStrategy);
    const rolling = type === undefined || rollingUpdate !== undefined;
    const spec = change(
      {
        podManagementPolicy: "OrderedReady",
        replicas: 1,
        revisionHistoryLimit: 10,
        ...given,
        updateStrategy: {
          type: type ?? "RollingUpdate",
          ...(rolling ? { rollingUpdate: { partition: 0, ...fieldsOf(rollingUpdate) } } : {}),
        },
        persistentVolumeClaimRetentionPolicy: {
          whenDeleted: "Retain",
          whenScaled: "Retain",
          ...fieldsOf(given.persistentVolumeClaimRetentionPolicy),
        },
      },
      { template: templateDefaults, volumeClaimTemplates: each(claimTemplate) },
    );
    return { ...set, spec };
  },
  check: (set, old) => {
    const spec = fieldsOf(set.spec);
    const claims = listOf(spec.volumeClaimTemplates).map((claim) => ({
      name: fieldsOf(claim.metadata).name,
      persistentVolumeClaim: { claimName: fieldsOf(claim.metadata).name },
    }));
    const own = checkWorkload(spec, "statefulset", claims);
    if (!old || jsonEqual(fixed(spec), fixed(fieldsOf(old.spec)))) return own;
    const names = CHANGEABLE.map((name) => `'${name}'`);
    const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
    return [
      ...own,
      forbidden("spec", `updates to statefulset spec for fields other than ${list} are forbidden`),
    ];
  },
};

function claimTemplate(claim: Fields): Fields {
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claimDefaults(claim) };
}

function fixed(spec: Fields): Fields {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !CHANGEABLE.includes(name)));
}
