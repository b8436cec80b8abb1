import type { WantedCondition } from "../../kube/write/conditions.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { MaintainWork } from "../../wire/work.ts";
import { annotationName, annotationOf } from "../reconcile/annotations.ts";
import { CONDITIONS } from "../reconcile/condition_types.ts";
import type { ReadyState } from "../reconcile/ready_state.ts";
import { REASONS } from "../reconcile/reasons.ts";
import type { Maintenance, MaintenanceState, OwnershipState } from "./maintenance.ts";

const ACKNOWLEDGE = "acknowledge-takeover";

/** As whom a run maintains the repository, and from whom it may take that over: from our own earlier name always. */
export function claimOf(maintenance: Maintenance): Pick<MaintainWork, "owner" | "takeOver" | "takeOverFrom"> {
  const { owner, takeoverPolicy } = maintenance.spec.ownership;
  if (takeoverPolicy === "Force") return { owner, takeOver: true };
  const { ownership: known } = maintenance.status ?? {};
  if (known?.claimedAt && known.owner && known.owner !== owner) {
    return { owner, takeOver: true, takeOverFrom: known.owner };
  }
  const gone = annotationOf(maintenance, ACKNOWLEDGE);
  if (takeoverPolicy === "Never" || !gone) return { owner };
  return { owner, takeOver: true, takeOverFrom: gone };
}

/** Who was seen to maintain the repository, where it is not us. */
export function foreignOwner(maintenance: Maintenance, status: MaintenanceState): string | undefined {
  const { owner, claimedAt } = status.ownership ?? {};
  // What was claimed is ours, though it may have been under another name.
  return owner === maintenance.spec.ownership.owner || claimedAt ? undefined : owner;
}

/** Who maintains the repository, after it was seen to be this one. */
export function seenOwner(
  before: OwnershipState | undefined,
  owner: string,
  ours: boolean,
  now: number,
): OwnershipState {
  const at = timestamp(now);
  const since = before?.owner === owner ? before.claimedAt : ours ? at : undefined;
  return { owner, ...(since ? { claimedAt: since } : {}), lastObservedAt: at };
}

export const NOT_MAINTAINED_YET = {
  status: "Unknown",
  reason: "NotMaintainedYet",
  message: "Who maintains the repository shows when it is maintained for the first time.",
} as const;

/** `maintainer`: the engine keeps a maintainer's name in the repository. */
export function ownershipCondition(
  maintenance: Maintenance,
  status: MaintenanceState,
  maintainer: boolean,
): WantedCondition {
  const type = CONDITIONS.ownershipClaimed;
  const owner = status.ownership?.owner;
  if (owner === undefined) return { type, ...NOT_MAINTAINED_YET };
  const foreign = foreignOwner(maintenance, status);
  if (foreign !== undefined) {
    const message = `${foreign} maintains the repository.`;
    return { type, status: "False", reason: REASONS.ownedByAnother, message };
  }
  const message = maintainer
    ? `The repository is maintained by ${owner}.`
    : "The engine keeps no maintainer's name in the repository; its locks keep others out while it is maintained.";
  return { type, status: "True", reason: maintainer ? "Claimed" : "NoMaintainer", message };
}

/** How maintenance stands of a repository that somebody else maintains. */
export function ownedByAnother(owner: string, maintenance: Maintenance): ReadyState {
  const reason = REASONS.ownedByAnother;
  const { kind, spec } = maintenance;
  if (spec.ownership.takeoverPolicy === "Never") {
    const message = `${owner} maintains the repository, and is left to it: this ${kind} never takes over.`;
    return { state: "ready", reason, message };
  }
  const message = `${owner} maintains the repository, so it is left alone. If that one is gone, put the annotation ${annotationName(maintenance, ACKNOWLEDGE)} with the value ${owner} on this ${kind}, and it takes over; otherwise delete this ${kind}.`;
  return { state: "stalled", reason, message };
}
