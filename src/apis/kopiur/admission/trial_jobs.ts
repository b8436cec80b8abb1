import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { moverJob } from "../../../core/work/mover_job.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { API_VERSION } from "../../../kinds/kopiur/group.ts";
import type { MoverSpec } from "../../../kinds/kopiur/parts.ts";
import type { Job } from "../../../kube/builtin.ts";
import type { Draft } from "../../../kube/object.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { moverFor } from "../mover.ts";
import type { KopiurSettings } from "../settings.ts";

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
  readonly namespace: string;
  readonly mover: Partial<MoverSpec> | undefined;
  /** As it was; what was taken once is not tried again. */
  readonly old: Partial<MoverSpec> | undefined;
  /** Where the mover's settings stand. Default `spec.mover`. */
  readonly at?: string;
  readonly settings: KopiurSettings;
}

/** The Job of a mover with these settings. */
export function moverTrial(trial: MoverTrial): readonly TrialJob[] {
  const { namespace, mover = {}, old, at = "spec.mover", settings } = trial;
  if (OPAQUE.every((field) => jsonEqual(mover[field], old?.[field]))) return [];
  const { inheritSecurityContextFrom: _, cache: __, privilegedMode = false, ...rest } = mover;
  const asked = { ...rest, privilegedMode };
  const pod = moverFor({ settings, repository: {}, mover: asked, namespace, consent: true });
  if (!pod.ok) return [];
  const job = moverJob({
    id: trialName(namespace, at),
    namespace,
    owner: { apiVersion: API_VERSION, kind: "Repository", name: "trial", uid: "trial" },
    work: {
      engine: "kopia",
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

/** The Jobs that hooks of a recipe run. */
export function hookTrials(config: BackupConfig, old: BackupConfig | undefined): readonly TrialJob[] {
  return (["beforeSnapshot", "afterSnapshot"] as const).flatMap((moment) =>
    (config.spec.hooks?.[moment] ?? []).flatMap(({ runJob }, index) => {
      const before = old?.spec.hooks?.[moment]?.[index]?.runJob;
      if (!runJob || jsonEqual(runJob.jobSpec, before?.jobSpec)) return [];
      const field = `spec.hooks.${moment}[${index}].runJob.jobSpec`;
      const namespace = config.metadata.namespace ?? "";
      const spec = runJob.jobSpec as unknown as JobSpec;
      const job = { metadata: { name: trialName(namespace, field), namespace }, spec };
      return [{ job, field, fields: [["spec", field]] as const }];
    }),
  );
}

function trialName(namespace: string, field: string): string {
  return `trial-${fingerprint(`${namespace} ${field}`)}`;
}
