import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { Jobs } from "../../kube/builtin.ts";
import type { LabelSelector } from "../../kube/label_selector.ts";
import { ownerReference } from "../../kube/write/owners.ts";
import { durationMs } from "../policy/duration.ts";
import type { RunOwner } from "../reconcile/run_owner.ts";
import type { Settings } from "../work/settings.ts";
import type { ExecAction, Hook, HookAction, HookSeries } from "../workloads/hooks/hook.ts";
import { type RequestAction, requestJob } from "../workloads/hooks/request_job.ts";

/** What is done around the capture of volumes, as an object asks for it. */
export interface HooksSpec {
  /** One after the other, before the volumes are captured. */
  readonly beforeSnapshot?: readonly HookSpec[];
  /** One after the other, once they are captured, also when the backup failed. */
  readonly afterSnapshot?: readonly HookSpec[];
  /** From the end of those before until the capture is under way. Default 5m. */
  readonly timeout?: string;
}

/** Exactly one of them. */
export type HookSpec =
  | { readonly workloadExec: ExecSpec; readonly runJob?: never; readonly httpRequest?: never }
  | { readonly runJob: JobHookSpec; readonly workloadExec?: never; readonly httpRequest?: never }
  | { readonly httpRequest: RequestSpec; readonly workloadExec?: never; readonly runJob?: never };

interface Timed {
  readonly timeout: string;
  readonly continueOnFailure: boolean;
}

interface ExecSpec extends Timed, Omit<ExecAction, "selector"> {
  readonly podSelector: LabelSelector;
}

interface JobHookSpec extends Timed {
  readonly jobSpec: Readonly<Record<string, unknown>>;
}

interface RequestSpec extends Timed, Pick<RequestAction, "url" | "method" | "headers" | "body"> {
  readonly tls?: {
    readonly caBundleRef?: { readonly configMapName: string; readonly key: string };
    readonly insecureSkipVerify: boolean;
  };
}

/** The hooks around the capture of a backup's volumes. */
export interface HooksAround {
  readonly before: HookSeries;
  readonly after: HookSeries;
}

export interface HooksRequest {
  readonly owner: RunOwner;
  /** As they were when the run began. */
  readonly hooks: HooksSpec;
  readonly settings: Settings;
  readonly round: number;
}

export function hooksAround({ owner, hooks, settings, round }: HooksRequest): HooksAround {
  const { namespace = "" } = owner.object.metadata;
  const reference = ownerReference({
    owner,
    dependent: { resource: Jobs, namespace },
    blockOwnerDeletion: false,
  });
  const series = (purpose: string, field: "beforeSnapshot" | "afterSnapshot"): HookSeries => ({
    owner: reference,
    namespace,
    purpose,
    round,
    hooks: (hooks[field] ?? []).map((hook, index) => hookOf(hook, `${field}[${index}]`, settings)),
  });
  return { before: series("before", "beforeSnapshot"), after: series("after", "afterSnapshot") };
}

/** Whether there is anything to run. */
export function hasHooks(hooks: HooksSpec | undefined): hooks is HooksSpec {
  return Boolean(hooks?.beforeSnapshot?.length || hooks?.afterSnapshot?.length);
}

function hookOf(hook: HookSpec, place: string, settings: Settings): Hook {
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
