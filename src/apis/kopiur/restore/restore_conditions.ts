import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";

/** What is said of a Restore, besides how it stands: what was decided, and what of it came back otherwise. */
export function restoreConditions({
  resolved,
  losses,
}: Pick<RestoreStatus, "resolved" | "losses">): readonly WantedCondition[] {
  return [...decided(resolved), ...permissions(losses)];
}

function decided(resolved: RestoreStatus["resolved"]): readonly WantedCondition[] {
  if (!resolved?.pinnedAt) return [];
  const type = CONDITIONS.sourceResolved;
  if (resolved.noSnapshot) {
    const message = "The repository answered that it holds no such snapshot.";
    return [{ type, status: "True", reason: "NoSnapshot", message }];
  }
  const message = `Snapshot ${resolved.snapshotID ?? ""} is restored.`;
  return [{ type, status: "True", reason: "Resolved", message }];
}

function permissions(losses: RestoreStatus["losses"] = []): readonly WantedCondition[] {
  const differing = losses.filter(({ kind }) => kind === "Owner" || kind === "Mode");
  if (differing.length === 0) return [];
  const count = differing.reduce((all, one) => all + one.count, 0);
  const message = `${count} owners or modes could not be set as they were; see status.losses. A mover with privilegedMode can set them.`;
  return [{ type: CONDITIONS.permissionsDiffer, status: "True", reason: "NotPermitted", message }];
}
