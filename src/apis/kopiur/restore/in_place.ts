import type { Claim } from "../../../core/volumes/claim_request.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import type { Restore, RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import type { Intent } from "../decision.ts";
import { blocked, type Problem, refused, waits } from "../problem.ts";
import type { Stand } from "../verdicts.ts";
import { remembering, SCALING } from "./scaled_workloads.ts";

/** Until a volume that somebody uses is looked at again: nothing tells when it gets free. */
export const LOOK_FOR_USERS = 15_000;

/** As many as a status remembers. */
const MOST_SCALED = 16;

/** Why nothing can be written into a claim that is there already. */
export function existingClaimProblem(name: string, claim: Claim | undefined): Problem | undefined {
  const what = `PersistentVolumeClaim ${name}`;
  if (!claim) return waits("ClaimNotFound", `${what} does not exist. Create it, or correct target.pvcRef.`);
  if (claim.metadata.deletionTimestamp)
    return blocked("ClaimDeleting", `${what} is being deleted: nothing is written into it.`);
  if (claim.spec?.volumeMode === "Block")
    return refused(
      "BlockVolume",
      `${what} is a block device, and files cannot be restored into one. Name a claim with volumeMode: Filesystem.`,
    );
  return undefined;
}

/** What has to happen before the volume can be written; undefined when it is free. */
export interface Clearance {
  readonly stand: Stand;
  readonly wakeAt: number;
  readonly intents: readonly Intent[];
  readonly scaledWorkloads?: NonNullable<RestoreStatus["scaledWorkloads"]>;
}

export function clearance(
  { restore, now }: { readonly restore: Restore; readonly now: number },
  use: UseDecision,
): Clearance | undefined {
  if (use.type === "Free") return undefined;
  const { reason, message } = use;
  const stand: Stand = { state: "reconciling", reason, message, warning: use.type === "InUse" };
  const wakeAt = now + (reason === "ScalingDown" ? SCALING : LOOK_FOR_USERS);
  if (use.type !== "Scale") return { stand, wakeAt, intents: [] };
  const scaledWorkloads = remembering(restore.status?.scaledWorkloads, use.workloads);
  if (scaledWorkloads.length > MOST_SCALED) return tooMany(scaledWorkloads.length, now);
  return {
    stand,
    wakeAt,
    // Held first: once something is down, somebody has to be there to bring it back.
    intents: [
      { type: "Hold", finalizer: SCALED_WORKLOADS, labels: {} },
      { type: "Scale", intents: use.intents },
    ],
    scaledWorkloads,
  };
}

/** What the status cannot remember would stay down. */
function tooMany(count: number, now: number): Clearance {
  const message = `${count} workloads use the claim, and a restore scales down at most ${MOST_SCALED}. Scale some of them down yourself.`;
  return {
    stand: { state: "reconciling", reason: "TooManyWorkloads", message, warning: true },
    wakeAt: now + LOOK_FOR_USERS,
    intents: [],
  };
}
