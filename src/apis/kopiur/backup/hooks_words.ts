import type { HookProgress } from "../../../core/workloads/hooks/hook_progress.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { BackupStatus } from "../../../kinds/kopiur/generated/backup.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import type { Stand } from "../verdicts.ts";
import type { HooksMemory } from "./hooks_memory.ts";
import type { BackupHooks } from "./hooks_series.ts";

export const RUNNING_HOOKS = "RunningHooks";
export const HOOK_FAILED = "HookFailed";

/** How a Backup stands while hooks run; undefined during the capture, which has words of its own. */
export function standOfHooks({ moment, before, after }: HooksMemory, hooks: BackupHooks): Stand | undefined {
  if (moment !== "Before" && moment !== "After") return undefined;
  const [{ finished }, series] = moment === "Before" ? [before, hooks.before] : [after, hooks.after];
  const failure = before.failure ?? after.failure;
  const running = `Hook ${series.hooks[finished]?.name} is running.`;
  return {
    state: "reconciling",
    reason: RUNNING_HOOKS,
    message: failure ? `${failure} ${running}` : running,
    warning: failure !== undefined,
  };
}

/** Whether the workload was made ready for the capture. */
export function quiesced({ moment, before }: HooksMemory, hooks: BackupHooks): readonly WantedCondition[] {
  if (hooks.before.hooks.length === 0 || moment === "Before") return [];
  const type = CONDITIONS.sourcesQuiesced;
  return before.failure
    ? [{ type, status: "False", reason: HOOK_FAILED, message: before.failure }]
    : [
        {
          type,
          status: "True",
          reason: "HooksSucceeded",
          message: "The hooks before the snapshot have run.",
        },
      ];
}

/** The hooks as a status shows them. */
export function shownHooks(memory: HooksMemory, hooks: BackupHooks): NonNullable<BackupStatus["hooks"]> {
  const { moment, before, after } = memory;
  const begun = moment === "After" || moment === "Over";
  return {
    ...(hooks.before.hooks.length > 0 ? { before: shown(before, moment === "Before") } : {}),
    ...(hooks.after.hooks.length > 0 && begun ? { after: shown(after, moment === "After") } : {}),
  };
}

function shown({ failure, tolerated, finished }: HookProgress, running: boolean) {
  const message = failure ?? tolerated;
  const state = running ? "Running" : failure ? "Failed" : "Succeeded";
  return { state, finished, ...(message ? { message } : {}) } as const;
}
