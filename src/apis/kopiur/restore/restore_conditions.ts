import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { unreachable } from "../../../lib/result.ts";

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

/** How much of what was backed up a restore has brought back. */
export function restored(
  status: Pick<RestoreStatus, "phase" | "losses" | "resolved" | "fidelity" | "incomplete">,
): readonly WantedCondition[] {
  const { phase, resolved } = status;
  if (phase !== "Completed" || resolved?.noSnapshot) return [];
  return [{ type: CONDITIONS.restored, status: "True", ...wholeness(status) }];
}

function wholeness({
  losses = [],
  fidelity,
  incomplete,
}: Pick<RestoreStatus, "losses" | "fidelity" | "incomplete">): {
  readonly reason: string;
  readonly message: string;
} {
  const count = losses.reduce((all, one) => all + one.count, 0);
  if (count > 0) {
    const message = `${count} things did not come back as they were; see status.losses.`;
    return { reason: "WithLosses", message };
  }
  if (incomplete) {
    const message = `What the snapshot holds came back, and that is not the whole source: ${incomplete}.`;
    return { reason: "Incomplete", message };
  }
  switch (fidelity) {
    case "Full":
      return { reason: "Complete", message: "Everything came back as it was." };
    case "Engine":
    case "Degraded":
      return {
        reason: "Unrecorded",
        message:
          "What the engine itself keeps came back. Whether there was more, such as links or attributes, the snapshot does not say.",
      };
    case undefined:
      return {
        reason: "Unreported",
        message: "The data came back. Whether all of it is as it was, was not heard.",
      };
    default:
      return unreachable(fidelity);
  }
}
