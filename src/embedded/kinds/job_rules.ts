import { invalid, notSupported, type Problem, required } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { change, each, type Fields, fieldsOf } from "./fields.ts";
import { checkImmutable } from "./immutable.ts";
import type { KindRules } from "./kind_rules.ts";
import { checkPodSpec } from "./pod_checks.ts";
import { templateDefaults } from "./pod_defaults.ts";
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
        backoffLimit: given.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
        completionMode: "NonIndexed",
        suspend: false,
        podReplacementPolicy: given.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed",
        manualSelector: false,
        ...given,
      },
      { template: templateDefaults, podFailurePolicy: failurePolicy },
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
    return [...checkSpec(spec, job), ...(old ? checkUpdate(spec, old) : [])];
  },
  selectableFields: { "status.successful": (job) => String(fieldsOf(job.status).succeeded ?? 0) },
};

function failurePolicy(value: unknown): Fields {
  const conditions = each((condition) => ({ ...condition, status: condition.status || "True" }));
  return change(fieldsOf(value), { rules: each((rule) => change(rule, { onPodConditions: conditions })) });
}

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
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];

function checkSpec(spec: Fields, { metadata }: Stored): readonly Problem[] {
  const indexed = spec.completionMode === "Indexed";
  const problems: Problem[] = COUNTS.filter((name) => Number(spec[name]) < 0).map((name) =>
    invalid(`spec.${name}`, spec[name], "must be greater than or equal to 0"),
  );
  if (indexed && spec.completions === undefined) {
    problems.push(required("spec.completions", "when completion mode is Indexed"));
  }
  for (const name of indexed ? [] : ["backoffLimitPerIndex", "maxFailedIndexes", "successPolicy"]) {
    if (spec[name] !== undefined)
      problems.push(invalid(`spec.${name}`, spec[name], "requires indexed completion mode"));
  }
  if (spec.podFailurePolicy !== undefined && spec.podReplacementPolicy !== "Failed") {
    problems.push(notSupported("spec.podReplacementPolicy", spec.podReplacementPolicy, ["Failed"]));
  }
  const template = fieldsOf(spec.template);
  const pod = fieldsOf(template.spec);
  problems.push(...checkPodSpec(pod, "spec.template.spec"), ...checkRestart(spec, pod.restartPolicy));
  const { labels } = fieldsOf(template.metadata);
  if (spec.selector === undefined) problems.push(required("spec.selector"));
  if (spec.selector === undefined || !selects(spec.selector, fieldsOf(labels))) {
    const text = "`selector` does not match template `labels`";
    problems.push(invalid("spec.template.metadata.labels", labels ?? null, text));
  }
  if (spec.manualSelector !== true && spec.selector && !selects(spec.selector, labelsOf(metadata))) {
    problems.push(invalid("spec.selector", spec.selector, "`selector` not auto-generated"));
  }
  return problems;
}

function checkRestart(spec: Fields, policy: unknown): readonly Problem[] {
  const field = "spec.template.spec.restartPolicy";
  if (policy === "Always") return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy === "OnFailure" && spec.podFailurePolicy !== undefined) {
    return [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
  }
  return [];
}

const FIXED = ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"];

function checkUpdate(spec: Fields, oldJob: Stored): readonly Problem[] {
  const old = fieldsOf(oldJob.spec);
  const inTandem = spec.completionMode === "Indexed" && spec.completions !== undefined;
  const problems: Problem[] = [];
  if (!inTandem) problems.push(...checkImmutable(["completions"], spec, old, "spec."));
  else if (spec.completions !== old.completions && spec.completions !== spec.parallelism) {
    const text = "can only be modified in tandem with spec.parallelism";
    problems.push(invalid("spec.completions", spec.completions, text));
  }
  const template = withoutScheduling(spec.template);
  const before = withoutScheduling(old.template);
  const same = neverStarted(oldJob) ? jsonEqual(template, before) : jsonEqual(spec.template, old.template);
  return [
    ...problems,
    ...checkImmutable(["selector"], spec, old, "spec."),
    ...(same ? [] : [invalid("spec.template", spec.template, "field is immutable")]),
    ...checkImmutable(FIXED, spec, old, "spec."),
  ];
}

/** Where its pods go may still be changed: none has been made. */
function neverStarted(job: Stored): boolean {
  const { suspend } = fieldsOf(job.spec);
  return suspend === true && fieldsOf(job.status).startTime === undefined;
}

function withoutScheduling(template: unknown): Fields {
  const { metadata, spec } = fieldsOf(template);
  const { labels: _, annotations: __, ...meta } = fieldsOf(metadata);
  const { nodeSelector, tolerations, schedulingGates, affinity, ...rest } = fieldsOf(spec);
  const { nodeAffinity, ...otherAffinity } = fieldsOf(affinity);
  const kept = Object.keys(otherAffinity).length > 0 ? { affinity: otherAffinity } : {};
  return { metadata: meta, spec: { ...rest, ...kept } };
}
