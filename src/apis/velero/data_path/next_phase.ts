import { progressOf } from "../../../core/reconcile/progress.ts";
import { cut, readyStateOfTask, sentence } from "../../../core/reconcile/task_words.ts";
import type { EndedTask, TaskState } from "../../../core/work/task_decision.ts";
import { POD_VOLUME } from "../../../kinds/velero/finalizers.ts";
import type { DataPathPhase } from "../../../kinds/velero/phases.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { unreachable } from "../../../lib/result.ts";
import type { Loss } from "../../../wire/snapshot.ts";
import { isBackup, isLegacy, type Memory, type PodVolume, type PodVolumeStatus } from "./pod_volume.ts";
import { RESOURCE_TIMEOUT } from "./pod_volume_task.ts";

/** Whether the work may be accepted. */
export type Readiness =
  | { readonly type: "Ready"; readonly node: string }
  /** `until`: it fails then. Default: it waits as long as it takes. */
  | { readonly type: "Wait"; readonly message: string; readonly until?: number }
  | { readonly type: "Refuse"; readonly message: string };

/** What is decided from. */
export interface DataPathView {
  readonly object: PodVolume;
  /** While nothing has been accepted. */
  readonly readiness?: Readiness;
  /** Of its run. Absent while there is none to look at. */
  readonly task?: TaskState;
  readonly memory?: Memory;
  /** It was begun by an operator that is gone, and cannot be taken over. Default false. */
  readonly abandoned?: boolean;
  /** What went before its run ended, and the volume perhaps with it. Default: nothing. */
  readonly emptied?: string;
  /** Why its run cannot be looked at for now. Default: it can. */
  readonly stranded?: string;
  /** Why its run may not go on. Default: it may. */
  readonly forbidden?: string;
  readonly now: number;
}

/** What becomes of an object. */
export interface NextPhase {
  readonly status: PodVolumeStatus;
  /** The object is kept until its run has ended. */
  readonly held: boolean;
  /** Its pod is being prepared. */
  readonly exposing: boolean;
  /** What is left of its runs goes. */
  readonly endRuns?: true;
  readonly cancelingSince?: string;
  readonly strandedSince?: string;
  readonly progressAt?: string;
  readonly wakeAt?: number;
}

/** How long a pod may take until its mover is prepared. */
export const PREPARE_TIMEOUT = 30 * 60_000;
/** How long a mover that was told to end may take, before its Job is deleted without its word. */
export const CANCEL_TIMEOUT = 5 * 60_000;
/** Progress is written at most this often. */
const PROGRESS_INTERVAL = 10_000;
/** Why a task is held whose mover nobody hears of. */
const SILENT: readonly string[] = ["NodeSilent", "NodeUnknown"];
const LONGEST_MESSAGE = 8192;
const ABANDONED =
  "The operator was started anew while restic restored the volume, and such a restore cannot be resumed. Restore the backup again.";

/** Somebody wants it to end: with the field, or by deleting the object. */
export function isCancelled({ spec, metadata }: PodVolume): boolean {
  return spec.cancel === true || metadata.deletionTimestamp !== undefined;
}

export function phaseOf({ status }: PodVolume): DataPathPhase {
  return status?.phase ?? "New";
}

/** When an object that was accepted fails, if its mover is not prepared by then. */
export function prepareDeadline({ status }: PodVolume): number {
  return Date.parse(status?.acceptedTimestamp ?? "") + PREPARE_TIMEOUT;
}

/** Pure: every transition of a PodVolumeBackup or PodVolumeRestore. */
export function nextPhase(view: DataPathView): NextPhase {
  const phase = phaseOf(view.object);
  switch (phase) {
    case "New":
      return fromNew(view);
    case "Accepted":
    case "Prepared":
      return beforeStart(view, phase);
    case "InProgress":
    case "Canceling":
      return underWay(view);
    case "Canceled":
    case "Completed":
    case "Failed":
      return { status: statusOf(view), held: false, exposing: false };
    default:
      return unreachable(phase);
  }
}

function fromNew(view: DataPathView): NextPhase {
  const { readiness, now, object } = view;
  if (isCancelled(object)) return ended(view, "Canceled", "Canceled before it was accepted.");
  if (readiness === undefined || readiness.type === "Wait") {
    const { message, until } = readiness ?? {};
    if (until !== undefined && now >= until) return ended(view, "Failed", `Timed out: ${message}`);
    const status = { ...statusOf(view), ...(message ? { message: cut(message, LONGEST_MESSAGE) } : {}) };
    return {
      status,
      held: isHeld(object),
      exposing: false,
      ...(until === undefined ? {} : { wakeAt: until }),
    };
  }
  if (readiness.type === "Refuse") return ended(view, "Failed", readiness.message);
  const { message: _, ...status } = statusOf(view);
  if (isLegacy(object)) {
    const started = { phase: "InProgress" as const, startTimestamp: timestamp(now), node: readiness.node };
    return { status: { ...status, ...started }, held: false, exposing: false };
  }
  const accepted = { phase: "Accepted" as const, acceptedTimestamp: timestamp(now) };
  return {
    status: { ...status, ...accepted, ...(isBackup(object) ? {} : { node: readiness.node }) },
    held: true,
    exposing: true,
  };
}

/** Nothing has been read or written yet, so that everything may end at once. */
function beforeStart(view: DataPathView, phase: "Accepted" | "Prepared"): NextPhase {
  const { object, task, now } = view;
  if (isCancelled(object)) return ended(view, "Canceled", "Canceled before it started.");
  if (view.forbidden !== undefined) return ended(view, "Failed", view.forbidden);
  if (task?.phase === "Ended") return afterRun(view, task);
  if (isPrepared(task)) {
    const { message: _, ...status } = statusOf(view);
    if (phase === "Accepted") return { status: { ...status, phase: "Prepared" }, held: true, exposing: true };
    const startTimestamp = timestamp(now);
    return { status: { ...status, phase: "InProgress", startTimestamp }, held: true, exposing: false };
  }
  const waitsFor = task ? readyStateOfTask(task, "").message : view.stranded;
  const deadline = prepareDeadline(object);
  if (now >= deadline) {
    return ended(
      view,
      "Failed",
      `Timed out on preparing the mover pod: ${waitsFor ?? "it was not created."}`,
    );
  }
  const message = waitsFor === undefined ? {} : { message: waitsFor };
  return { status: { ...statusOf(view), ...message }, held: true, exposing: true, wakeAt: deadline };
}

/** A mover that runs already was told to start by an operator that did not live to say so. */
function isPrepared(task: TaskState | undefined): boolean {
  return task?.phase === "Working" && (task.state.phase === "Prepared" || task.state.phase === "Running");
}

function underWay(view: DataPathView): NextPhase {
  const { object, task, now } = view;
  if (task?.phase === "Ended") return afterRun(view, task);
  if (view.forbidden !== undefined) return ended(view, "Failed", view.forbidden);
  if (view.abandoned) return ended(view, "Failed", ABANDONED);
  const progress = progressFields(view);
  const held = !isLegacy(object);
  if (!isCancelled(object) && phaseOf(object) !== "Canceling") {
    const silence = view.stranded ?? silenceOf(task);
    if (silence !== undefined) return stranded(view, silence);
    const trouble =
      task && isTrouble(task) ? { message: readyStateOfTask(task, "moving the data").message } : {};
    const { message: _, ...status } = statusOf(view);
    return {
      ...progress.at,
      status: { ...status, ...progress.fields, ...trouble },
      held,
      exposing: false,
    };
  }
  const cancelingSince = view.memory?.cancelingSince ?? timestamp(now);
  const deadline = Date.parse(cancelingSince) + CANCEL_TIMEOUT;
  if (now >= deadline) {
    return ended(view, "Canceled", "Canceled. The mover did not say how it ended, and its Job was deleted.");
  }
  const status: PodVolumeStatus = { ...statusOf(view), ...progress.fields, phase: "Canceling" };
  return { ...progress.at, status, held, exposing: false, cancelingSince, wakeAt: deadline };
}

/** What its run needs may come back; without it nobody learns how the run ends. */
function stranded(view: DataPathView, message: string): NextPhase {
  const strandedSince = view.memory?.strandedSince ?? timestamp(view.now);
  const deadline = Date.parse(strandedSince) + RESOURCE_TIMEOUT;
  if (view.now >= deadline) return ended(view, "Failed", `Timed out: ${message}`);
  const { at } = progressFields(view);
  const status = { ...statusOf(view), message: cut(message, LONGEST_MESSAGE) };
  return { ...at, status, held: !isLegacy(view.object), exposing: false, strandedSince, wakeAt: deadline };
}

/** Its mover was told to end, and its node does not say whether it has: perhaps it never will. */
function silenceOf(task: Exclude<TaskState, EndedTask> | undefined): string | undefined {
  return task?.phase === "Held" && SILENT.includes(task.reason) ? task.message : undefined;
}

function isTrouble(task: Exclude<TaskState, EndedTask>): boolean {
  return task.phase !== "Working" || task.state.phase === "Waiting";
}

/** What is shown already stays while it is fresh. */
function progressFields({ task, memory, now }: DataPathView): {
  readonly fields?: Pick<PodVolumeStatus, "progress">;
  readonly at?: Pick<NextPhase, "progressAt">;
} {
  const line = task && progressOf(task);
  const { progressAt = "" } = memory ?? {};
  const age = now - Date.parse(progressAt);
  if (line?.bytes === undefined || (age >= 0 && age < PROGRESS_INTERVAL)) {
    return progressAt === "" ? {} : { at: { progressAt } };
  }
  const { bytes: bytesDone, estimatedBytes: totalBytes = bytesDone } = line;
  const progress = { bytesDone, totalBytes: Math.max(bytesDone, totalBytes) };
  return { fields: { progress }, at: { progressAt: timestamp(now) } };
}

function afterRun(view: DataPathView, { outcome, result }: EndedTask): NextPhase {
  const { failure } = result ?? {};
  if (outcome === "Cancelled" && isCancelled(view.object)) return ended(view, "Canceled", "Canceled.");
  // It goes with what it says: nobody would learn of its snapshot, and only what was canceled is cleaned up.
  const unheard = isBackup(view.object) && view.object.metadata.deletionTimestamp !== undefined;
  if (outcome === "Succeeded" && unheard) return ended(view, "Canceled", "Canceled.");
  if (outcome !== "Succeeded") {
    return ended(view, "Failed", failure ? sentence(failure) : "The mover failed, and its report is lost.");
  }
  if (view.emptied) return ended(view, "Failed", emptiedText(view.object, view.emptied));
  const done = ended(view, "Completed", undefined);
  const { answer } = result ?? {};
  if (answer && "snapshot" in answer) {
    const [made] = answer.snapshot.snapshots;
    // A snapshot that is not whole is never offered for a restore.
    if (!made || made.snapshot.incomplete !== undefined) {
      return ended(view, "Failed", made?.snapshot.incomplete ?? "The mover made no snapshot.");
    }
    const { id, bytes = 0 } = made.snapshot;
    const message = lossText("The snapshot lacks", made.losses);
    const incrementalBytes = made.addedBytes ? { incrementalBytes: made.addedBytes } : {};
    const fields = { ...moved(bytes), ...incrementalBytes, ...message, snapshotID: id };
    return { ...done, status: { ...done.status, ...fields } };
  }
  if (answer && "restore" in answer) {
    const { bytes, losses } = answer.restore;
    const lost = lossText("The restore could not bring back", losses).message;
    const said = [...(lost === undefined ? [] : [lost]), ...(result?.warnings ?? []).map(asSentence)].join(
      " ",
    );
    const message = said === "" ? {} : { message: cut(said, LONGEST_MESSAGE) };
    const fields = { ...moved(bytes), ...message };
    return { ...done, status: { ...done.status, ...fields } };
  }
  // The run had ended before, and its result was recorded with the phase: this cannot be.
  return ended(view, "Failed", "The mover's result is lost.");
}

function emptiedText(object: PodVolume, went: string): string {
  const { volume } = object.spec;
  const [done, then] = isBackup(object)
    ? ["backed up", "so that files may be missing. Back the pod up again."]
    : ["restored", "with its files. Restore the backup again."];
  return `${went} while its volume ${volume} was ${done}, and the volume with it, ${then}`;
}

function asSentence(warning: string): string {
  return `${warning.charAt(0).toUpperCase()}${warning.slice(1).replace(/\.$/, "")}.`;
}

/** Nothing stands for no bytes at all, as with Velero. */
function moved(bytes: number): Pick<PodVolumeStatus, "progress"> {
  return { progress: bytes === 0 ? {} : { totalBytes: bytes, bytesDone: bytes } };
}

/** What is not in the backup, as people read it. */
function lossText(verb: string, losses: readonly Loss[]): { readonly message?: string } {
  if (losses.length === 0) return {};
  const parts = losses.map(({ kind, count, reason }) => `${count} × ${kind} (${reason})`);
  return { message: cut(`${verb}: ${parts.join(", ")}.`, LONGEST_MESSAGE) };
}

/** What a server said of why it cancels stays. */
function ended(
  view: DataPathView,
  phase: "Canceled" | "Completed" | "Failed",
  message: string | undefined,
): NextPhase {
  const { message: before, ...status } = statusOf(view);
  const kept = phase === "Canceled" && before !== view.memory?.said ? (before ?? message) : message;
  return {
    status: {
      ...status,
      phase,
      completionTimestamp: timestamp(view.now),
      ...(kept === undefined ? {} : { message: cut(kept, LONGEST_MESSAGE) }),
    },
    // In the same write: to a server before 1.18.2 each write of what has ended is one more result.
    held: false,
    exposing: false,
    endRuns: true,
  };
}

function isHeld({ metadata }: PodVolume): boolean {
  return metadata.finalizers?.includes(POD_VOLUME) ?? false;
}

function statusOf({ object }: DataPathView): PodVolumeStatus {
  return (object.status ?? {}) as PodVolumeStatus;
}
