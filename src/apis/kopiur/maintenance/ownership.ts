import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { CONDITIONS } from "../../../kinds/kopiur/condition_types.ts";
import type { Maintenance, MaintenanceStatus } from "../../../kinds/kopiur/generated/maintenance.ts";
import { REASONS } from "../../../kinds/kopiur/reasons.ts";
import type { WantedCondition } from "../../../kube/write/conditions.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { MaintainWork } from "../../../wire/work.ts";
import type { Stand } from "../verdicts.ts";

type Ownership = NonNullable<MaintenanceStatus["ownership"]>;

/** The name under which a repository is maintained. */
export function ownerOf({ spec }: Pick<Maintenance, "spec">): string {
  return spec.ownership.owner ?? `kopiur/${spec.repository.name}`;
}

/** As whom a run maintains the repository, and from whom it may take that over: from our own earlier name always. */
export function claimOf(maintenance: Maintenance): Pick<MaintainWork, "owner" | "takeOver" | "takeOverFrom"> {
  const owner = ownerOf(maintenance);
  const { takeoverPolicy } = maintenance.spec.ownership;
  if (takeoverPolicy === "Force") return { owner, takeOver: true };
  const { ownership: known } = maintenance.status ?? {};
  if (known?.claimedAt && known.owner && known.owner !== owner) {
    return { owner, takeOver: true, takeOverFrom: known.owner };
  }
  const gone = maintenance.metadata.annotations?.[ANNOTATIONS.acknowledgeTakeover];
  if (takeoverPolicy === "Never" || !gone) return { owner };
  return { owner, takeOver: true, takeOverFrom: gone };
}

/** Who was seen to maintain the repository, where it is not us. */
export function foreignOwner(maintenance: Maintenance, status: MaintenanceStatus): string | undefined {
  const { owner, claimedAt } = status.ownership ?? {};
  // What was claimed is ours, though it may have been under another name.
  return owner === ownerOf(maintenance) || claimedAt ? undefined : owner;
}

/** Who maintains the repository, after it was seen to be this one. */
export function seenOwner(
  before: Ownership | undefined,
  owner: string,
  ours: boolean,
  now: number,
): Ownership {
  const at = timestamp(now);
  const since = before?.owner === owner ? before.claimedAt : ours ? at : undefined;
  return { owner, ...(since ? { claimedAt: since } : {}), lastObservedAt: at };
}

/** `maintainer`: the engine keeps a maintainer's name in the repository. */
export function ownershipCondition(
  maintenance: Maintenance,
  status: MaintenanceStatus,
  maintainer: boolean,
): WantedCondition {
  const type = CONDITIONS.ownershipClaimed;
  const owner = status.ownership?.owner;
  if (owner === undefined) {
    const message = "Who maintains the repository shows when it is maintained for the first time.";
    return { type, status: "Unknown", reason: "NotMaintainedYet", message };
  }
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

/** How a Maintenance stands whose repository somebody else maintains. */
export function standBehind(owner: string, { spec }: Maintenance): Stand {
  const reason = REASONS.ownedByAnother;
  if (spec.ownership.takeoverPolicy === "Never") {
    const message = `${owner} maintains the repository, and is left to it, as takeoverPolicy Never says.`;
    return { state: "ready", reason, message };
  }
  const message = `${owner} maintains the repository, so it is left alone. If that one is gone, put the annotation ${ANNOTATIONS.acknowledgeTakeover} with the value ${owner} on this Maintenance, and it takes over; otherwise delete this Maintenance.`;
  return { state: "stalled", reason, message };
}
