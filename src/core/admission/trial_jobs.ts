import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { ApiError } from "../../kube/api_error.ts";
import { type Job, Jobs } from "../../kube/builtin.ts";
import type { CallOptions, Writer } from "../../kube/client.ts";
import type { Draft, KubeObject } from "../../kube/object.ts";
import { fingerprint } from "../../lib/hash.ts";
import { jsonEqual } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import type { EngineName } from "../../wire/capabilities.ts";
import { privilegeAnnotation } from "../consent/privileges.ts";
import type { Finding } from "../reconcile/finding.ts";
import type { Violation } from "../reconcile/violation.ts";
import { moverFor } from "../repository/mover.ts";
import { moverJob } from "../work/mover_job.ts";
import type { MoverSpec } from "../work/mover_spec.ts";
import type { Settings } from "../work/settings.ts";

/** A Job that is only tried, and how its fields are called in the object that it comes from. */
export interface TrialJob {
  readonly job: Draft<Job>;
  /** Beginnings of paths in the Job, with what stands for them; the first that fits counts. */
  readonly fields: readonly (readonly [inJob: string, inObject: string])[];
  /** What the trial is about as a whole. */
  readonly field: string;
}

/** The fields of a mover that only the API server understands. */
const OPAQUE = ["resources", "securityContext", "tolerations", "affinity"] as const;

export interface MoverTrial {
  /** Whose mover it is. */
  readonly object: KubeObject;
  /** Where it runs. */
  readonly namespace: string;
  /** Of any repository: the Job is the same for each. */
  readonly engine: EngineName;
  readonly mover: Partial<MoverSpec> | undefined;
  /** As it was; what was taken once is not tried again. */
  readonly old: Partial<MoverSpec> | undefined;
  /** Where the mover's settings stand. */
  readonly at: string;
  readonly settings: Settings;
}

/** The Job of a mover with these settings. */
export function moverTrial(trial: MoverTrial): readonly TrialJob[] {
  const { object, namespace, engine, mover = {}, old, at, settings } = trial;
  if (OPAQUE.every((field) => jsonEqual(mover[field], old?.[field]))) return [];
  const { inheritSecurityContextFrom: _, cache: __, privilegedMode = false, ...rest } = mover;
  const asked = { ...rest, privilegedMode };
  const pod = moverFor({
    settings,
    repository: {},
    mover: asked,
    namespace,
    consent: true,
    annotation: privilegeAnnotation(object),
  });
  if (!pod.ok) return [];
  const job = moverJob({
    id: trialName(namespace, at),
    namespace,
    owner: { apiVersion: object.apiVersion, kind: object.kind, name: "trial", uid: "trial" },
    work: {
      engine,
      repository: { backend: { filesystem: { path: "/" } } },
      work: { check: {} },
    },
    secrets: { password: { secret: "trial", key: "trial" } },
    mover: pod.value.settings,
  });
  const container = "spec.template.spec.containers[0]";
  return [
    {
      job,
      field: at,
      fields: [
        [`${container}.resources`, `${at}.resources`],
        [`${container}.securityContext`, `${at}.securityContext`],
        ["spec.template.spec.securityContext", `${at}.supplementalGroups`],
        ["spec.template.spec.tolerations", `${at}.tolerations`],
        ["spec.template.spec.affinity", `${at}.affinity`],
        ["spec.template.spec", at],
        ["spec.template.metadata", at],
      ],
    },
  ];
}

/** Hooks around the capture of volumes, of which some run a Job. */
type JobHooks = Readonly<
  Partial<
    Record<"beforeSnapshot" | "afterSnapshot", readonly { readonly runJob?: { readonly jobSpec: object } }[]>
  >
>;

/** The Jobs that hooks run. */
export function hookTrials(
  namespace: string,
  hooks: JobHooks | undefined,
  old: JobHooks | undefined,
  at: string,
): readonly TrialJob[] {
  return (["beforeSnapshot", "afterSnapshot"] as const).flatMap((moment) =>
    (hooks?.[moment] ?? []).flatMap(({ runJob }, index) => {
      if (!runJob || jsonEqual(runJob.jobSpec, old?.[moment]?.[index]?.runJob?.jobSpec)) return [];
      const field = `${at}.${moment}[${index}].runJob.jobSpec`;
      const spec = runJob.jobSpec as JobSpec;
      const job = { metadata: { name: trialName(namespace, field), namespace }, spec };
      return [{ job, field, fields: [["spec", field]] as const }];
    }),
  );
}

function trialName(namespace: string, field: string): string {
  return `trial-${fingerprint(`${namespace} ${field}`)}`;
}

/** The parts of an object that only the API server understands are shown to it, in a Job that is not stored. */
export async function tryJob(
  client: Pick<Writer, "create">,
  trial: TrialJob,
  options: CallOptions,
): Promise<readonly Finding[]> {
  try {
    await client.create(Jobs, trial.job, { ...options, dryRun: true, fieldValidation: "Strict" });
    return [];
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ApiError && (error.code === 422 || error.code === 400)) {
      return violationsOf(error, trial).map((refuse) => ({ refuse }));
    }
    return [{ warn: `${trial.field}: it could not be tried out: ${messageOf(error)}` }];
  }
}

/** As many are told; the rest shows once these are put right. */
const MOST_CAUSES = 5;

function violationsOf(error: ApiError, trial: TrialJob): readonly Violation[] {
  const causes = error.causes.filter(({ message }) => message);
  const said = causes.length > 0 ? causes : [{ field: "", message: error.said }];
  return said.slice(0, MOST_CAUSES).map(({ field = "", message = "" }) => ({
    reason: "InvalidPod",
    field: field === "" ? trial.field : renamed(field, trial),
    what: "no pod can be made from it",
    why: renamed(message, trial).replace(/\.$/, ""),
    fix: "Write it as Kubernetes has it in a pod",
  }));
}

/** The same words, with the object's fields for those of the Job. */
function renamed(text: string, { fields }: TrialJob): string {
  return fields.reduce((text, [inJob, inObject]) => text.replaceAll(pathBeginning(inJob), inObject), text);
}

/** Where a path begins with this, and not somewhere within another path. */
function pathBeginning(path: string): RegExp {
  return new RegExp(`(?<![\\w.\\]])${RegExp.escape(path)}(?![\\w])`, "g");
}
