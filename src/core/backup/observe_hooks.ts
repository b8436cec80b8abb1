import type { EngineRoom } from "../reconcile/engine_room.ts";
import type { RunGate } from "../work/run_policy.ts";
import type { BackupObject, BackupRequest } from "./backup.ts";
import { captureBy, hooksNext, type ObservedHooks, type Standing } from "./gates.ts";
import { hooksMemoryOf } from "./hooks_memory.ts";
import { hasHooks, hooksAround } from "./hooks_series.ts";

export interface HooksQuestion {
  readonly backup: Pick<BackupRequest, "owner" | "plan">;
  readonly standing: Standing;
  /** All that stands before the hooks. */
  readonly gate: RunGate;
}

/** Looks at the hooks of a backup; undefined where it has none. */
export async function observeHooks(
  { hooks, settings }: Pick<EngineRoom, "hooks" | "settings">,
  { backup: { owner, plan }, standing, gate }: HooksQuestion,
  signal: AbortSignal,
): Promise<ObservedHooks | undefined> {
  const spec = plan.settings.hooks;
  if (!hasHooks(spec)) return undefined;
  const memory = hooksMemoryOf(owner.object.status);
  const both = hooksAround({ owner, hooks: spec, settings, round: memory?.round ?? 1 });
  const which = memory?.moment === "Before" ? "before" : memory?.moment === "After" ? "after" : undefined;
  const { finished = 0, since } = (which && memory?.[which]) ?? {};
  const sight = which && since !== undefined ? await hooks.see(both[which], finished, { signal }) : undefined;
  const by = captureBy(memory, spec.timeout)?.at;
  return {
    hooks: both,
    memory,
    sight,
    ...hooksNext(standing, memory, gate),
    ...(by === undefined ? {} : { by }),
  };
}

/** The hooks of a round that was begun have not all run, or the end of the backup is still to be told. */
export function owesHooks({ status }: BackupObject): boolean {
  const memory = hooksMemoryOf(status);
  return memory !== undefined && (memory.moment !== "Over" || memory.end !== undefined);
}
