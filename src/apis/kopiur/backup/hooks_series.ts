import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { durationMs } from "../../../core/policy/duration.ts";
import type { Hook, HookAction, HookSeries } from "../../../core/workloads/hooks/hook.ts";
import { requestJob } from "../../../core/workloads/hooks/request_job.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import type { Hook as HookSpec, Hooks } from "../../../kinds/kopiur/parts.ts";
import { Jobs } from "../../../kube/builtin.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import type { KopiurSettings } from "../settings.ts";

/** The hooks around the capture of a Backup's volumes. */
export interface BackupHooks {
  readonly before: HookSeries;
  readonly after: HookSeries;
}

export interface HooksGround {
  readonly backup: Backup;
  /** As the recipe had them when the run began. */
  readonly hooks: Hooks;
  readonly settings: KopiurSettings;
  readonly round: number;
}

export function backupHooks({ backup, hooks, settings, round }: HooksGround): BackupHooks {
  const { namespace = "" } = backup.metadata;
  const owner = ownerReference({
    owner: { resource: backupResource, object: backup },
    dependent: { resource: Jobs, namespace },
    blockOwnerDeletion: false,
  });
  const series = (purpose: string, field: keyof Hooks): HookSeries => ({
    owner,
    namespace,
    purpose,
    round,
    hooks: (hooks[field] ?? []).map((hook, index) => hookOf(hook, `${field}[${index}]`, settings)),
  });
  return { before: series("before", "beforeSnapshot"), after: series("after", "afterSnapshot") };
}

/** Whether there is anything to run. */
export function hasHooks(hooks: Hooks | undefined): hooks is Hooks {
  return Boolean(hooks?.beforeSnapshot?.length || hooks?.afterSnapshot?.length);
}

function hookOf(hook: HookSpec, place: string, settings: KopiurSettings): Hook {
  const named = (kind: string, { timeout, continueOnFailure }: Timed, action: HookAction): Hook => ({
    name: `${place} (${kind})`,
    timeout: durationMs(timeout),
    continueOnFailure,
    action,
  });
  const { workloadExec, runJob, httpRequest } = hook;
  if (workloadExec) {
    const { podSelector: selector, pods, container, command, repeatable } = workloadExec;
    const exec = { selector, pods, command, repeatable, ...(container ? { container } : {}) };
    return named("workloadExec", workloadExec, { exec });
  }
  if (runJob) return named("runJob", runJob, { job: runJob.jobSpec as unknown as JobSpec });
  const { timeout, continueOnFailure: _, tls, ...request } = httpRequest;
  const ca = tls?.caBundleRef;
  return named("httpRequest", httpRequest, {
    ours: true,
    job: requestJob(
      {
        ...request,
        timeout: durationMs(timeout),
        insecure: tls?.insecureSkipVerify ?? false,
        ...(ca ? { ca: { configMap: ca.configMapName, key: ca.key } } : {}),
        allowLocal: settings.hooksMayCallLocalAddresses ?? false,
      },
      {
        image: settings.moverImage,
        ...(settings.imagePullPolicy ? { imagePullPolicy: settings.imagePullPolicy } : {}),
      },
    ),
  });
}

interface Timed {
  readonly timeout: string;
  readonly continueOnFailure: boolean;
}
