import type { JobSpec } from "kubernetes-types/batch/v1.d.ts";
import { durationMs } from "../../../../core/policy/duration.ts";
import type { EngineRoom } from "../../../../core/reconcile/engine_room.ts";
import { blocked, type Problem } from "../../../../core/reconcile/problem.ts";
import { decideHooks } from "../../../../core/workloads/hooks/decide_hooks.ts";
import { type HookSeries, hookId } from "../../../../core/workloads/hooks/hook.ts";
import type { HookProgress } from "../../../../core/workloads/hooks/hook_progress.ts";
import type { HookSight } from "../../../../core/workloads/hooks/hook_sight.ts";
import type { Backup } from "../../../../kinds/cozystack/generated/backup.ts";
import { type Job, jobResource } from "../../../../kinds/cozystack/generated/job.ts";
import { jobBackupStrategyResource } from "../../../../kinds/cozystack/generated/job_backup_strategy.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { Resource } from "../../../../kube/resource.ts";
import { ok, type Result } from "../../../../lib/result.ts";
import {
  type Artifact,
  type BackupWork,
  type Driver,
  type DriverIntent,
  type DriverState,
  LEAVE_DATA,
  type RemovalWork,
  type RestoreWork,
  type Step,
} from "../driver.ts";
import { names, rendered, toAnother } from "../template_data.ts";
import { canRestore } from "./can_restore.ts";
import { readReport } from "./pod_report.ts";

type Mode = "backup" | "restore" | "delete";
type Failed = Extract<Step, { type: "Failed" }>;
type AnyWork = BackupWork<Job> | RestoreWork<Job> | RemovalWork<Job>;

const DONE = {
  backup: "The pod has backed the application up.",
  restore: "The pod has restored the application.",
  delete: "The pod has deleted the data.",
} as const;

export interface JobDriverPorts extends Pick<EngineRoom, "hooks"> {
  /** Why a strategy may not lend the Secret that it names. */
  readonly forbidden: (strategy: Job) => Problem | undefined;
}

/** Has pods do the work that an administrator describes. The engine room makes their Jobs, as it makes those of hooks. */
export function jobDriver({ hooks, forbidden }: JobDriverPorts): Driver<Job> {
  const run = async (work: AnyWork, mode: Mode, signal: AbortSignal): Promise<Step> => {
    const wanted = seriesOf(work, mode);
    const refusal = "type" in wanted ? wanted : undefined;
    const progress = progressOf(work.state);
    const problem = work.strategy && forbidden(work.strategy);
    if (problem && progress.since === undefined) return { type: "Waiting", problem };
    if (refusal && progress.since === undefined) return refusal;
    // A Job that was made is followed to its end, whatever the template has become.
    const series = "type" in wanted ? seriesWith(work, mode, {}) : wanted;
    const sight =
      progress.since === undefined ? undefined : await hooks.see(series, progress.finished, { signal });
    if (refusal && sight?.phase === "Unknown") return { ...refusal, intents: [removal(series)] };
    return decidePod({ work, mode, series, progress, sight });
  };
  return {
    name: "job",
    strategies: [jobResource, jobBackupStrategyResource as Resource<Job>],
    backup: (work, signal) => run(work, "backup", signal),
    restore: (work, signal) => run(work, "restore", signal),
    remove: async (work, signal) => {
      // Whether there is data to delete, and how, nobody else can tell.
      if (!work.strategy) return { type: "Waiting", problem: strategyGone(work.object) };
      if (work.strategy.spec.deleteTemplate) return run(work, "delete", signal);
      return { type: "Succeeded", message: "The data stays: the strategy has no deleteTemplate." };
    },
    stop: (object) => {
      const { namespace = "" } = object.metadata;
      const { driverState: state = {} } = object.status ?? {};
      const mode = object.kind === "RestoreJob" ? "restore" : "backup";
      const work = { object, namespace, strategy: undefined, state };
      return state.since === undefined ? [] : [removal(seriesWith(work, mode, {}))];
    },
  };
}

function strategyGone({ spec }: Backup): Problem {
  const { kind, name } = spec.strategyRef;
  const message = `The strategy ${kind} ${name} does not exist, so the data cannot be deleted. Create it. ${LEAVE_DATA}`;
  return blocked("StrategyNotFound", message);
}

/** The one Job of a piece of work; or why there can be none. */
export function seriesOf(work: AnyWork, mode: Mode): HookSeries | Failed {
  const refusal = "backup" in work ? refusalOf(work) : undefined;
  if (refusal) return refusal;
  const spec = work.strategy?.spec;
  const template =
    mode === "backup"
      ? spec?.template
      : mode === "restore"
        ? (spec?.restoreTemplate ?? spec?.template)
        : spec?.deleteTemplate;
  const field = { backup: "template", restore: "restoreTemplate", delete: "deleteTemplate" }[mode];
  // The copy has the name of its Job.
  const more = spec?.credentials ? { Credentials: hookId(seriesWith(work, mode, {}), 0) } : {};
  const pod = rendered(template ?? {}, work, mode, `spec.${field}`, more);
  if (!pod.ok)
    return { type: "Failed", reason: "TemplateFailed", message: `${pod.error}. Correct the strategy.` };
  return seriesWith(work, mode, pod.value);
}

/** Why pods of this strategy cannot restore what is asked for: they would do something else, and end well. */
function refusalOf(work: RestoreWork<Job>): Failed | undefined {
  const { strategy, applicationRef } = work;
  const { template, restoreTemplate } = strategy.spec;
  const what = `The ${strategy.kind} ${strategy.metadata.name}`;
  if (!canRestore(strategy.spec)) {
    const message = `${what} cannot restore: it has no restoreTemplate, and its template does not name .Mode, so it would back up again. Set spec.restoreTemplate, then create another RestoreJob.`;
    return { type: "Failed", reason: "RestoreUnsupported", message };
  }
  if (toAnother(work) && !names(restoreTemplate ?? template, "Application")) {
    const { kind, name } = applicationRef;
    const message = `${what} cannot restore into ${kind} ${name}: the template does not name .Application, so it would restore into the application that was backed up. Have the template use .Application, or create a RestoreJob without targetApplicationRef.`;
    return { type: "Failed", reason: "TargetUnsupported", message };
  }
  return undefined;
}

/** What tells one Job from others. */
interface Identified {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly strategy: Job | undefined;
  readonly state: DriverState;
}

/** The Job with this pod. Its name is the same with any. */
function seriesWith(work: Identified, mode: Mode, template: object): HookSeries {
  const { object, namespace, strategy, state } = work;
  const { apiVersion, kind, metadata } = object;
  const lends = strategy?.spec.credentials?.secretRef;
  return {
    owner: { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true },
    namespace,
    purpose: mode,
    round: Number(state.round ?? "1"),
    hooks: [
      {
        name: mode,
        action: {
          job: { template } as JobSpec,
          reports: true,
          ...(lends ? { lends } : {}),
        },
        timeout: durationMs(strategy?.spec.timeout ?? "2h"),
        continueOnFailure: false,
      },
    ],
  };
}

/** Ends the Job, and with it its pod and what it was lent. */
function removal(series: HookSeries): DriverIntent {
  return { type: "Hooks", series, intents: [{ type: "Forget", index: 0, remove: true }] };
}

export interface ObservedPod {
  readonly work: AnyWork;
  readonly mode: Mode;
  readonly series: HookSeries;
  readonly progress: HookProgress;
  readonly sight: HookSight | undefined;
}

/** What follows from what is seen of the pod. */
export function decidePod({ work, mode, series, progress, sight }: ObservedPod): Step {
  const { now, state } = work;
  const next = decideHooks({ hooks: series.hooks, progress, sight, always: false, now });
  const acts = next.intents.length > 0 ? [{ type: "Hooks", series, intents: next.intents } as const] : [];
  if (!next.over) {
    const note = sight?.phase === "Running" && sight.note ? sight.note : "Waiting for the pod to start.";
    const { round } = state;
    const kept = { ...stateOf(next.progress), ...(round ? { round } : {}) };
    return { type: "Running", message: note, state: kept, intents: acts, wakeAt: next.wakeAt };
  }
  if (next.progress.failure !== undefined) {
    return { type: "Failed", reason: "PodFailed", message: next.progress.failure, intents: acts };
  }
  if (mode !== "backup") return { type: "Succeeded", message: DONE[mode], intents: acts };
  const report = sight?.phase === "Ended" && sight.result.ok ? sight.result.report : undefined;
  const artifact = artifactOf(work, readReport(report));
  if (!artifact.ok) {
    const message = `${artifact.error}. Correct the strategy.`;
    return { type: "Failed", reason: "TemplateFailed", message, intents: acts };
  }
  const made = artifact.value ? { artifact: artifact.value } : {};
  return { type: "Succeeded", message: DONE[mode], takenAt: progress.since, intents: acts, ...made };
}

/** What the pod says of the data wins over what the strategy says of all of them. */
function artifactOf(work: AnyWork, report: Partial<Artifact>): Result<Artifact | undefined, string> {
  const template = work.strategy?.spec.artifact?.uri;
  if (report.uri === undefined && template === undefined) return ok(undefined);
  const uri =
    report.uri === undefined ? rendered(template ?? "", work, "backup", "spec.artifact.uri") : ok(report.uri);
  return uri.ok ? ok({ ...report, uri: uri.value }) : uri;
}

function progressOf({ finished = "0", since, job, failure }: DriverState): HookProgress {
  return {
    finished: Number(finished),
    ...(since ? { since } : {}),
    ...(job ? { job } : {}),
    ...(failure ? { failure } : {}),
  };
}

function stateOf({ finished, since, job, failure }: HookProgress): DriverState {
  return {
    finished: String(finished),
    ...(since ? { since } : {}),
    ...(job ? { job } : {}),
    ...(failure ? { failure } : {}),
  };
}
