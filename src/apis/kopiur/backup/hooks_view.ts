import type { RunGate } from "../../../core/work/run_policy.ts";
import type { RunRecord } from "../../../core/work/run_record.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { edition } from "../editions.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Copies } from "./copies.ts";
import type { Frozen } from "./frozen.ts";
import { type HooksMemory, hookFailure, hooksMemoryOf } from "./hooks_memory.ts";
import type { RoundView } from "./hooks_round.ts";
import { backupHooks, hasHooks } from "./hooks_series.ts";
import { RUNNING_HOOKS } from "./hooks_words.ts";
import { needsJob } from "./observe_copies.ts";
import { isWaiting, memoryOf } from "./staging_memory.ts";

/** What was seen of a Backup's hooks. */
export interface ObservedHooks extends Pick<RoundView, "hooks" | "memory" | "sight" | "due"> {
  /** Nothing but the hooks and the capture stands before the mover. */
  readonly open: boolean;
  /** Somebody wants the Backup to end, or a hook failed that must not. */
  readonly ending: boolean;
}

export interface HooksQuestion {
  readonly backup: Backup;
  readonly frozen: Frozen;
  /** Of the run that makes the snapshots. */
  readonly record: RunRecord;
  /** What others say about the run. */
  readonly gate: RunGate;
  readonly cancelled: boolean;
}

/** Looks at the hooks of a Backup; undefined where it has none. */
export async function observeHooks(
  { hooks, settings, clock }: Pick<KopiurPorts, "hooks" | "settings" | "clock">,
  { backup, frozen, record, gate, cancelled }: HooksQuestion,
  signal: AbortSignal,
): Promise<ObservedHooks | undefined> {
  const spec = frozen.recipe.hooks;
  if (!hasHooks(spec)) return undefined;
  const memory = hooksMemoryOf(backup.status);
  const both = backupHooks({ backup, hooks: spec, settings, round: memory?.round ?? 1 });
  const which = memory?.moment === "Before" ? "before" : memory?.moment === "After" ? "after" : undefined;
  const { finished = 0, since } = (which && memory?.[which]) ?? {};
  const sight = which && since !== undefined ? await hooks.see(both[which], finished, { signal }) : undefined;
  const now = clock.now();
  const staging = memoryOf(backup.status);
  const waits = staging !== undefined && isWaiting(staging, edition(backup), now);
  const ready = record.outcome === undefined && needsJob(record, now) && !waits;
  const ending = cancelled || failedBefore(memory);
  const due = gate.open && ready && !ending && !memory?.captured;
  return { hooks: both, memory, sight, due, open: gate.open, ending };
}

/** A hook failed that must not: the Backup goes no further. */
function failedBefore(memory: HooksMemory | undefined): boolean {
  return memory !== undefined && hookFailure(memory) !== undefined;
}

/** What is to be read may be made now. */
export function mayCapture(hooks: ObservedHooks | undefined): boolean {
  return !hooks || hooks.memory?.moment === "Capture" || hooks.memory?.captured === true;
}

/** The same, after what had been captured was lost: it is not captured again but between hooks. */
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

/** No mover starts before the hooks that come before it have run. */
export function gateOfHooks(hooks: ObservedHooks | undefined): RunGate {
  const { moment, captured } = hooks?.memory ?? {};
  if (!hooks || moment === "Capture" || (moment === "Over" && captured)) return { open: true };
  return { open: false, reason: RUNNING_HOOKS, message: "The hooks around the snapshot have to run first." };
}

/** The hooks of a round that was begun have not all run, or the end of the Backup is still to be told. */
export function owesHooks(backup: Backup): boolean {
  const memory = hooksMemoryOf(backup.status);
  return memory !== undefined && (memory.moment !== "Over" || memory.end !== undefined);
}
