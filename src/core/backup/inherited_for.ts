import { ok } from "../../lib/result.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { type Inherited, inheritedFrom } from "../repository/inherited_from.ts";
import { NOTHING_INHERITED } from "../repository/mover_user.ts";
import type { Repository } from "../repository/repository.ts";
import type { RunRecord } from "../work/run_record.ts";
import type { BackupRequest } from "./backup.ts";

export interface Heir {
  readonly backup: Pick<BackupRequest, "owner" | "plan">;
  readonly repository: Repository;
  /** Of the run that makes the snapshots. Absent for one that only looks after them. */
  readonly record?: RunRecord;
  /** The volumes are about to be read. Default true. */
  readonly wanted?: boolean;
}

/**
 * As whom a backup's mover runs, where its settings leave that to a workload's pod. Without such a pod nothing is read;
 * what only looks after the repository goes on by itself.
 */
export async function inheritedFor(
  ports: Pick<EngineRoom, "client">,
  { backup: { owner, plan }, repository, record, wanted = true }: Heir,
  signal: AbortSignal,
): Promise<Inherited | undefined> {
  const mover = { ...repository.spec.moverDefaults, ...plan.settings.mover };
  const { inheritSecurityContextFrom: from } = mover;
  if (!from) return undefined;
  if (record?.outcome || record?.job !== undefined) return ok(NOTHING_INHERITED);
  const { namespace = "" } = owner.object.metadata;
  const found = await inheritedFrom(ports, { namespace, from }, signal);
  return found.ok || (record?.step === "Work" && wanted) ? found : ok(NOTHING_INHERITED);
}
