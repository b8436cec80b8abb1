import { forbidden, invalid, notSupported, type Problem, required } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { change, checkImmutable, type Fields, fieldsOf, listOf } from "./fields.ts";
import type { KindRules } from "./kind_info.ts";
import { checkPodSpec } from "./pod_checks.ts";
import { podSpecDefaults } from "./pod_rules.ts";
import { selects } from "./selects.ts";

/** Jobs. On creation they get a selector of their own, by their uid. */
export const jobRules: KindRules = {
  defaults: (job) => {
    const given = fieldsOf(job.spec);
    const both = given.completions === undefined && given.parallelism === undefined;
    const spec = change(
      {
        parallelism: 1,
        ...(both ? { completions: 1 } : {}),
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        podReplacementPolicy: "TerminatingOrFailed",
        manualSelector: false,
        ...given,
      },
      {
        template: (template) => change(fieldsOf(template), { spec: (pod) => podSpecDefaults(fieldsOf(pod)) }),
      },
    );
    const labelled = Object.keys(job.metadata.labels ?? {}).length > 0;
    return labelled ? { ...job, spec } : withTemplateLabels({ ...job, spec });
  },
  onCreate: (job) => {
    const created = { ...job, spec: withSelector(fieldsOf(job.spec), job) };
    const borrowed = jsonEqual(job.metadata.labels, templateLabels(job));
    return borrowed ? withTemplateLabels(created) : created;
  },
  check: (job, old) => {
    const spec = fieldsOf(job.spec);
    return [...checkSpec(spec), ...(old ? checkUpdate(spec, old) : checkSelector(spec, job))];
  },
  selectableFields: { "status.successful": (job) => String(fieldsOf(job.status).succeeded ?? 0) },
};

function templateLabels(job: Stored): Readonly<Record<string, string>> | undefined {
  const { labels } = fieldsOf(fieldsOf(fieldsOf(job.spec).template).metadata);
  return labels as Record<string, string> | undefined;
}

/** A Job without labels of its own takes its pods'. */
function withTemplateLabels(job: Stored): Stored {
  const labels = templateLabels(job);
  return labels ? { ...job, metadata: { ...job.metadata, labels } } : job;
}

/** What tells a Job's pods from all others. */
function labelsOf({ uid, name }: Stored["metadata"]): Readonly<Record<string, string>> {
  return {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
}

function withSelector(spec: Fields, { metadata }: Stored): Fields {
  if (spec.manualSelector === true) return spec;
  const template = fieldsOf(spec.template);
  const meta = fieldsOf(template.metadata);
  const { matchLabels, ...selector } = fieldsOf(spec.selector);
  const owned = { "batch.kubernetes.io/controller-uid": metadata.uid };
  return {
    ...spec,
    selector: { matchLabels: { ...owned, ...fieldsOf(matchLabels) }, ...selector },
    template: {
      ...template,
      metadata: { ...meta, labels: { ...labelsOf(metadata), ...fieldsOf(meta.labels) } },
    },
  };
}

const COUNTS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
];

/** What only real clusters do with Jobs. */
const UNSERVED = [
  "backoffLimitPerIndex",
  "managedBy",
  "maxFailedIndexes",
  "podFailurePolicy",
  "successPolicy",
];

function checkSpec(spec: Fields): readonly Problem[] {
  const problems: Problem[] = COUNTS.filter((name) => Number(spec[name]) < 0).map((name) =>
    invalid(`spec.${name}`, spec[name], "must be greater than or equal to 0"),
  );
  for (const name of UNSERVED.filter((name) => spec[name] !== undefined))
    problems.push(forbidden(`spec.${name}`, "an embedded control plane does not have it: use a cluster"));
  if (spec.completionMode !== "NonIndexed")
    problems.push(notSupported("spec.completionMode", spec.completionMode, ["NonIndexed"]));
  const template = fieldsOf(spec.template);
  const pod = fieldsOf(template.spec);
  problems.push(...checkPodSpec(pod, "spec.template.spec"));
  if (pod.restartPolicy === "Always")
    problems.push(required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"'));
  const { labels } = fieldsOf(template.metadata);
  if (spec.selector === undefined) problems.push(required("spec.selector"));
  if (spec.selector === undefined || !selects(spec.selector, fieldsOf(labels))) {
    const text = "`selector` does not match template `labels`";
    problems.push(invalid("spec.template.metadata.labels", labels ?? null, text));
  }
  return problems;
}

function checkSelector({ manualSelector, selector }: Fields, { metadata }: Stored): readonly Problem[] {
  if (manualSelector === true || !selector || selects(selector, labelsOf(metadata))) return [];
  return [invalid("spec.selector", selector, "`selector` not auto-generated")];
}

function checkUpdate(spec: Fields, oldJob: Stored): readonly Problem[] {
  const old = fieldsOf(oldJob.spec);
  return [
    ...checkImmutable(["completions", "selector", "completionMode"], spec, old, "spec."),
    ...(isAtRest(oldJob)
      ? checkPodAtRest(fieldsOf(spec.template).spec, fieldsOf(old.template).spec)
      : checkImmutable(["template"], spec, old, "spec.")),
  ];
}

/** None of its pods is there: where they go, and what they may use, can still be changed. */
function isAtRest(job: Stored): boolean {
  const { startTime, conditions, active } = fieldsOf(job.status);
  const isSuspended = listOf(conditions).some(
    ({ type, status }) => type === "Suspended" && status === "True",
  );
  return fieldsOf(job.spec).suspend === true && (startTime === undefined || isSuspended) && !active;
}

function checkPodAtRest(pod: unknown, old: unknown): readonly Problem[] {
  if (jsonEqual(fixedPart(pod), fixedPart(old))) return [];
  return [invalid("spec.template.spec", pod, "field is immutable")];
}

function fixedPart(pod: unknown): Fields {
  const { nodeSelector, tolerations, affinity, schedulingGates, ...rest } = fieldsOf(pod);
  const withoutResources = (containers: unknown) =>
    listOf(containers).map(({ resources: _, ...container }) => container);
  return {
    ...rest,
    containers: withoutResources(rest.containers),
    initContainers: withoutResources(rest.initContainers),
  };
}
