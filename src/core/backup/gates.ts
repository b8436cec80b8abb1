import { type KubeObject, keyOf, type ObjectKey, parseKey } from "../../kube/object.ts";
import { err, type Result } from "../../lib/result.ts";
import { durationMs } from "../policy/duration.ts";
import { blocked, type Problem, waits } from "../reconcile/problem.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { gateOf } from "../repository/plan_task.ts";
import type { Repository } from "../repository/repository.ts";
import { type HalfWritten, TARGET_INCOMPLETE } from "../volumes/half_written.ts";
import { isStillToCome } from "../work/retry.ts";
import type { RunGate, StartBy } from "../work/run_policy.ts";
import type { RunRecord } from "../work/run_record.ts";
import { type Copies, gateOfCopies } from "./copies.ts";
import { type HooksMemory, hookFailure, inRound, RUNNING_HOOKS } from "./hooks_memory.ts";
import type { RoundView } from "./hooks_round.ts";
import type { BackupPlan } from "./plan.ts";
import { isTrying, isWaiting, type StagingMemory } from "./staging_memory.ts";

/*
 * What stands between a backup and its mover, in this order: its API, restores into its volumes, the repository, a slot
 * there, the hooks before the capture, the capture. Each is asked only once those before it are open. Pure.
 */

/** Where a backup stands before its first gate. */
export interface Standing {
  /** Somebody wants it to end. */
  readonly cancelled: boolean;
  /** Of the run that makes the snapshots, for the object as it is now. */
  readonly record: RunRecord;
  readonly staging: StagingMemory | undefined;
  readonly fingerprint: string;
  readonly now: number;
}

/** The next Job would be one that reads the volumes. Once there is one, it alone matters. */
export function needsJob({ step, job, notBefore }: RunRecord, now: number): boolean {
  return step === "Work" && job === undefined && !isStillToCome(notBefore, now);
}

/** Nothing is known that would keep the volumes from being read next, so that what happens to them matters. */
export function readsNext({ cancelled, record, now }: Standing): boolean {
  return !cancelled && record.outcome === undefined && needsJob(record, now);
}

/** What is known of restores into the claims of a backup. */
export interface RestoresInto {
  /** The restore that has begun to write into the claim, `namespace/name`, and has not ended. */
  writerOf(claim: string): KubeObject | undefined;
  /** What the claim says of one that left it half written. Default: none has, or it does not matter. */
  halfWritten?(claim: string): HalfWritten | undefined;
}

/**
 * Why claims of a backup are not captured now, by their names: a restore has begun to write into them, and has not ended,
 * or has ended without having completed. Also between two attempts a volume holds neither what it did nor what it will.
 * One that has not begun may wait for this very backup.
 */
export function beingRestored(
  { sources }: Pick<BackupPlan, "sources">,
  { writerOf, halfWritten }: RestoresInto,
): ReadonlyMap<string, Problem> {
  const found = sources.flatMap(({ pvc }) => {
    const restore = writerOf(pvc);
    if (restore) return [[pvc, writtenBy(restore, pvc)] as const];
    const left = halfWritten?.(pvc);
    return left ? [[pvc, leftBy(left, pvc)] as const] : [];
  });
  return new Map(found);
}

/** A backup of it would be taken for a good one, and the good ones would go by retention. */
function leftBy({ by }: HalfWritten, pvc: string): Problem {
  const { namespace, name } = parseKey(pvc as ObjectKey);
  return blocked(
    REASONS.volumeHalfWritten,
    `PersistentVolumeClaim ${pvc} is half written: ${by} began to write into it and has not completed. A backup of it would count as good, so none is made. Restore into it again, and the backup goes on by itself. If the volume is good as it is, run holdfast acknowledge ${by} -n ${namespace}; or, where ${by} is gone, kubectl annotate pvc ${name} -n ${namespace} ${TARGET_INCOMPLETE}-`,
  );
}

function writtenBy(restore: KubeObject, pvc: string): Problem {
  return waits(
    "VolumeBeingRestored",
    `${restore.kind} ${keyOf(restore)} writes into PersistentVolumeClaim ${pvc}. Until that has ended, also between two attempts, what is in the volume is not whole, and is not backed up. The backup goes on by itself then; see the ${restore.kind}'s conditions.`,
  );
}

export interface Entry extends Standing {
  /** The run as it would be made; or why it cannot be. Absent where nobody knows yet. */
  readonly described?: Result<unknown, Problem> | undefined;
  /** Its API does not let it begin any more. */
  readonly withdrawn: Problem | undefined;
  /** Why volumes are not to be captured now. */
  readonly holds: ReadonlyMap<string, Problem>;
  /** The repository may be used, and answered when it was last asked. */
  readonly ready: Result<Repository, Problem>;
}

/** The gate before a slot; or the repository to ask for one, where that is the next gate. */
export function gateBeforeSlot(entry: Entry): RunGate | { readonly ask: Repository } {
  const { withdrawn, holds, ready, described, cancelled } = entry;
  // A try that is under way may have captured its volumes before, and goes on then.
  const held = isTrying(entry.staging) ? undefined : [...holds.values()][0];
  const shut = withdrawn ?? held;
  if (shut || !ready.ok) return gateOf(shut ? err(shut) : ready);
  if (described && !described.ok) return gateOf(described);
  // What ends, or waits for its next try at a copy, takes nobody's slot.
  return cancelled || waitsForCopy(entry) ? { open: true } : { ask: ready.value };
}

function waitsForCopy({ staging, fingerprint, now }: Standing): boolean {
  return staging !== undefined && isWaiting(staging, fingerprint, now);
}

/** What was seen of a backup's hooks. */
export interface ObservedHooks extends Pick<RoundView, "hooks" | "memory" | "sight" | "due" | "by"> {
  /** Nothing but the hooks and the capture stands before the mover. */
  readonly open: boolean;
  /** Somebody wants the backup to end, or a hook failed that must not. */
  readonly ending: boolean;
}

/** Whether another round of hooks is to begin. `gate`: all that stands before them. */
export function hooksNext(
  standing: Standing,
  memory: HooksMemory | undefined,
  gate: RunGate,
): Pick<ObservedHooks, "due" | "open" | "ending"> {
  const { cancelled, record, now } = standing;
  const ready = record.outcome === undefined && needsJob(record, now) && !waitsForCopy(standing);
  const ending = cancelled || (memory !== undefined && hookFailure(memory) !== undefined);
  return { due: gate.open && ready && !ending && !memory?.captured, open: gate.open, ending };
}

export interface CaptureView {
  /** All that stands before hooks and capture. */
  readonly gate: RunGate;
  /** Absent where there are none. */
  readonly hooks: ObservedHooks | undefined;
  readonly cancelled: boolean;
}

/** Whether what is to be read may be made now. A round that was begun is brought to its end, whatever shut since. */
export function mayCapture({ gate, hooks, cancelled }: CaptureView): boolean {
  if (cancelled) return false;
  if (!hooks) return gate.open;
  const { memory } = hooks;
  const between = memory?.moment === "Capture" || memory?.captured === true;
  return between && (gate.open || inRound(memory));
}

/** The hooks after what had been captured was lost: it is not captured again but between hooks. */
export function unlessLost(
  hooks: ObservedHooks | undefined,
  copies: Copies | undefined,
): ObservedHooks | undefined {
  const { memory } = hooks ?? {};
  if (!hooks || !memory?.captured || memory.moment !== "Over" || copies?.phase !== "Staging") return hooks;
  const { state } = copies.decision;
  if (state.phase === "Refused" || state.captured) return hooks;
  const { captured: _, ...forgotten } = memory;
  return { ...hooks, memory: forgotten, due: hooks.open && !hooks.ending };
}

/** How long a workload waits for its capture, where nothing else is said. */
const CAPTURE_TIMEOUT = "5m";

/** By when the capture has to be under way for which a workload was quiesced; undefined where none waits for it. */
export function captureBy(memory: HooksMemory | undefined, timeout = CAPTURE_TIMEOUT): StartBy | undefined {
  if (memory?.moment !== "Capture" || memory.quiescedAt === undefined) return undefined;
  const at = Date.parse(memory.quiescedAt) + durationMs(timeout);
  return {
    at,
    message: `${timeout} after the hooks before the snapshot, which is as long as the workload may wait`,
  };
}

/** What is to be read, where it is captured in time: the workload that was quiesced for it does not wait for longer. */
export function inTime(copies: Copies | undefined, by: StartBy | undefined, now: number): Copies | undefined {
  if (!by || now < by.at || copies?.phase !== "Staging") return copies;
  const { state } = copies.decision;
  if (state.phase !== "Waiting" || state.captured) return copies;
  const message = `The volumes were not captured ${by.message}. ${state.reason}: ${state.message}`;
  const late = { phase: "Refused", class: "transient", reason: "CaptureTimeout", message } as const;
  return { ...copies, decision: { state: late, intents: [] } };
}

/** The last gate, which the mover starts behind. */
export function gateOfMover({
  gate,
  hooks,
  copies,
}: Omit<CaptureView, "cancelled"> & { readonly copies: Copies | undefined }): RunGate {
  return [gate, gateOfHooks(hooks), gateOfCopies(copies)].find(({ open }) => !open) ?? { open: true };
}

/** No mover starts before the hooks that come before it have run. */
function gateOfHooks(hooks: ObservedHooks | undefined): RunGate {
  const { moment, captured } = hooks?.memory ?? {};
  if (!hooks || moment === "Capture" || (moment === "Over" && captured)) return { open: true };
  return { open: false, reason: RUNNING_HOOKS, message: "The hooks around the snapshot have to run first." };
}
