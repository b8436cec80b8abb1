import { NOTHING_DONE } from "../../../core/workloads/hooks/hook_progress.ts";
import type { BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Decision, Intent } from "../decision.ts";
import { recordsOf } from "../records.ts";
import { soonest } from "../soonest.ts";
import { conditionsFor, newsOf, type Stand } from "../verdicts.ts";
import type { ObservedBackup } from "./decide_backup.ts";
import type { FrozenRecipe } from "./frozen.ts";
import { captureOf } from "./hooks_capture.ts";
import { type HeldEnd, HOOKS, type HooksMemory, hookFailure, inRound } from "./hooks_memory.ts";
import { decideRound } from "./hooks_round.ts";
import type { ObservedHooks } from "./hooks_view.ts";
import { HOOK_FAILED, quiesced, shownHooks, standOfHooks } from "./hooks_words.ts";

/** The decision, and with it the hooks: a Backup ends once those after the capture have run. */
export function withHooks(base: Decision<BackupStatus>, observed: ObservedBackup): Decision<BackupStatus> {
  const { backup, hooks, run, now } = observed;
  if (!hooks) return base;
  const end = hooks.memory?.end ?? endOf(base.status, backup.status);
  const { memory, ...round } = decideRound({
    ...hooks,
    capture: captureOf(observed),
    attempt: run?.ok ? run.value.decision.record.attempt : 1,
    ending: hooks.ending || end !== undefined,
    due: hooks.due && end === undefined,
    now,
  });
  const decision: Decision<BackupStatus> = {
    ...base,
    intents: [...base.intents, ...round.intents.map((one): Intent => ({ type: "Hooks", ...one }))],
    wakeAt: soonest(base.wakeAt, round.wakeAt),
  };
  const idle = !inRound(memory) && memory === hooks.memory && !end;
  if (!memory || idle) return decision;
  const failures = round.failures.map(
    (message): EventNote => ({ type: "Warning", reason: HOOK_FAILED, message }),
  );
  const shown = { ...(base.status ?? backup.status), hooks: shownHooks(memory, hooks.hooks) };
  const told =
    end && !inRound(memory) ? atLast(shown, memory, end, now) : meanwhile(shown, memory, hooks, end);
  const stand = told.stand ?? standIn(shown);
  const conditions = conditionsFor({ ...backup, status: shown }, stand, quiesced(memory, hooks.hooks), now);
  const work = { ...recordsOf(shown), [HOOKS]: told.memory };
  return {
    ...decision,
    status: { ...told.status, conditions, work },
    events: [...(told.stand ? newsOf(backup, told.stand) : (base.events ?? [])), ...failures],
  };
}

interface Told {
  readonly status: BackupStatus;
  readonly memory: HooksMemory;
  /** Where the hooks have more to say than the run. */
  readonly stand?: Stand | undefined;
}

/** While hooks have to run, a Backup that has ended waits with its end. */
function meanwhile(
  shown: BackupStatus,
  memory: HooksMemory,
  { hooks }: ObservedHooks,
  end: HeldEnd | undefined,
): Told {
  const stand = standOfHooks(memory, hooks);
  return end
    ? { status: { ...shown, phase: "Running" }, memory: { ...memory, end }, stand }
    : { status: shown, memory, stand };
}

/** The Backup's end. A hook that must not fail and did is the end of every Backup. */
function atLast(shown: BackupStatus, memory: HooksMemory, end: HeldEnd, now: number): Told {
  const { round, attempt } = memory;
  const over = { round, attempt, moment: "Over", before: NOTHING_DONE, after: NOTHING_DONE } as const;
  const message = hookFailure(memory);
  if (message === undefined) {
    const room = end.phase === "Succeeded" ? withoutHooks(shown) : {};
    return { status: { ...shown, ...room, phase: end.phase }, memory: over, stand: end.stand };
  }
  const failure = {
    errorClass: HOOK_FAILED,
    message,
    retry: "terminal",
    attempt,
    at: timestamp(now),
  } as const;
  return {
    status: { ...shown, phase: "Failed", failure },
    memory: over,
    stand: { state: "stalled", reason: HOOK_FAILED, message },
  };
}

/** What has succeeded is not run again: its hooks make room. */
function withoutHooks({ resolved }: BackupStatus): Pick<BackupStatus, "resolved"> {
  if (!resolved?.recipe) return {};
  const { hooks: _, ...recipe } = resolved.recipe as FrozenRecipe;
  return { resolved: { ...resolved, recipe } };
}

/** How a Backup ends just now; undefined where it does not, or did before. */
function endOf(status: BackupStatus | undefined, before: BackupStatus | undefined): HeldEnd | undefined {
  const phase = status?.phase;
  if (phase !== "Succeeded" && phase !== "Failed") return undefined;
  return before?.phase === phase ? undefined : { phase, stand: standIn(status) };
}

/** How an object stands by its conditions. */
export function standIn(status: BackupStatus | undefined): Stand {
  const find = (type: string) => status?.conditions?.find((one) => one.type === type);
  const { status: ready, reason = "Pending", message = "" } = find("Ready") ?? {};
  const stalled = find("Stalled")?.status === "True";
  return { state: ready === "True" ? "ready" : stalled ? "stalled" : "reconciling", reason, message };
}
