import type { EngineRoom } from "../reconcile/engine_room.ts";
import { planTask } from "../repository/plan_task.ts";
import type { BackupRequest } from "./backup.ts";
import { deleteTask } from "./delete_task.ts";
import { earlierLooks, lateGate, lateRuns, lateTurn, type ObservedLate } from "./late_runs.ts";
import type { BackupLookup } from "./observe_backup.ts";
import type { BackupContext } from "./snapshot_task.ts";

interface LateContext extends BackupContext {
  readonly backup: Pick<BackupRequest, "owner" | "plan" | "tenant">;
  readonly lookup: Pick<BackupLookup, "ready" | "late">;
}

/** Looks at the search for late snapshots of a backup; undefined where there is none. */
export async function observeLateRuns(
  ports: Pick<EngineRoom, "tasks" | "queues" | "clock">,
  { lookup, ...context }: LateContext,
  signal: AbortSignal,
): Promise<ObservedLate | undefined> {
  const { repository, backup } = context;
  const { object: owner } = backup.owner;
  const turn = lateTurn(owner, ports.clock.now());
  if (turn?.type !== "Look") return turn && { turn };
  if (!lookup.ready.ok) return { turn, run: lookup.ready };
  const work = { snapshots: [], runs: lateRuns(owner) };
  const slot = { owner, kind: "delete", recipe: backup.tenant, repository } as const;
  const gate = lateGate(repository, lookup.late(repository));
  const lookOf = (purpose: string) =>
    planTask(ports, { task: deleteTask(context, work, purpose), status: owner.status, gate, slot }, signal);
  const earlier = await Promise.all(earlierLooks(owner.status, turn.purpose).map(lookOf));
  return {
    turn,
    run: await lookOf(turn.purpose),
    earlier: earlier.flatMap((look) => (look.ok ? [look.value] : [])),
  };
}
