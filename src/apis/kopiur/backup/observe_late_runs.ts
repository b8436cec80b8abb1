import type { Result } from "../../../lib/result.ts";
import { outlookOf } from "../ground.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import type { AnyRepository } from "../references.ts";
import { deleteTask } from "./delete_task.ts";
import { lateGate } from "./late_gate.ts";
import { earlierLooks, lateRuns, lateTurn } from "./late_runs.ts";
import type { BackupGround } from "./snapshot_task.ts";
import type { ObservedLate } from "./with_late_runs.ts";

interface LateGround extends BackupGround {
  /** Whether the repository may be worked on. */
  readonly ready: Result<AnyRepository, Problem>;
}

/** Looks at the search for late snapshots of a Backup; undefined where there is none. */
export async function observeLateRuns(
  ports: KopiurPorts,
  { ready, ...ground }: LateGround,
  signal: AbortSignal,
): Promise<ObservedLate | undefined> {
  const { backup } = ground;
  const turn = lateTurn(backup, ports.clock.now());
  if (turn?.type !== "Look") return turn && { turn };
  if (!ready.ok) return { turn, run: ready };
  const work = { snapshots: [], runs: lateRuns(backup) };
  const recipe = backup.spec.configRef?.name ?? "";
  const seat = { owner: backup, kind: "delete", recipe, repository: ground.repository } as const;
  const gate = lateGate({ ...ground, caches: ports.caches });
  const lookOf = (purpose: string) =>
    outlookOf(ports, { task: deleteTask(ground, work, purpose), status: backup.status, gate, seat }, signal);
  const earlier = await Promise.all(earlierLooks(backup.status, turn.purpose).map(lookOf));
  return {
    turn,
    run: await lookOf(turn.purpose),
    earlier: earlier.flatMap((look) => (look.ok ? [look.value] : [])),
  };
}
