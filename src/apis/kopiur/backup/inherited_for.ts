import type { RunRecord } from "../../../core/work/run_record.ts";
import {
  type InheritedSecurity,
  inheritedSecurity,
} from "../../../core/workloads/inherit_security_context.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { MoverSpec } from "../../../kinds/kopiur/parts.ts";
import { Pods } from "../../../kube/builtin.ts";
import { selects } from "../../../kube/label_selector.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { NOTHING_INHERITED } from "../mover_security.ts";
import type { KopiurPorts } from "../ports.ts";
import type { Problem } from "../problem.ts";
import type { Frozen } from "./frozen.ts";

export interface Heir {
  readonly backup: Backup;
  readonly frozen: Frozen;
  /** Of the repository. */
  readonly moverDefaults?: MoverSpec | undefined;
  /** Of the run that makes the snapshots. Absent for one that only looks after them. */
  readonly record?: RunRecord;
  /** The volumes are about to be read. Default true. */
  readonly wanted?: boolean;
}

type Inherited = Result<InheritedSecurity, Problem>;

/**
 * As whom a Backup's mover runs, where its settings leave that to a workload's pod. Without such a pod nothing is read;
 * what only looks after the repository goes on by itself.
 */
export async function inheritedFor(
  { client }: Pick<KopiurPorts, "client">,
  { backup, frozen, moverDefaults, record, wanted = true }: Heir,
  signal: AbortSignal,
): Promise<Inherited | undefined> {
  const { inheritSecurityContextFrom: from } = { ...moverDefaults, ...frozen.recipe.mover };
  if (!from) return undefined;
  if (record?.outcome || record?.job !== undefined) return ok(NOTHING_INHERITED);
  const { namespace = "" } = backup.metadata;
  const { items } = await client.list(Pods, { namespace, omitManagedFields: true, signal });
  const pods = items.filter(({ metadata }) => selects(from.podSelector, metadata.labels ?? {}));
  const found = inheritedSecurity({ pods, container: from.container });
  if (found.ok) return found;
  if (record?.step !== "Work" || !wanted) return ok(NOTHING_INHERITED);
  const { class: kind, reason, message } = found.error;
  return err({ class: kind, reason, message });
}
