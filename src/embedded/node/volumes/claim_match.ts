import { compareQuantities } from "../../kinds/quantity.ts";
import type { Claim, Volume } from "../objects.ts";

/** True when the volume is reserved for this very claim; a reservation by name alone counts. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const ref = spec?.claimRef;
  return (
    ref?.namespace === metadata.namespace &&
    ref?.name === metadata.name &&
    (!ref.uid || ref.uid === metadata.uid)
  );
}

/** Why a volume cannot be what a claim asks for; undefined when it can. */
export function mismatch(volume: Volume, claim: Claim): string | undefined {
  const { spec: has } = volume;
  const { spec: wants } = claim;
  if ((has?.storageClassName ?? "") !== (wants?.storageClassName ?? ""))
    return "storageClassName does not match";
  if ((has?.volumeMode ?? "Filesystem") !== (wants?.volumeMode ?? "Filesystem"))
    return "volumeMode does not match";
  if (compareQuantities(has?.capacity?.storage, wants?.resources?.requests?.storage) < 0) {
    return "requested PV is too small";
  }
  const missing = wants?.accessModes?.some((mode) => !has?.accessModes?.includes(mode));
  if (missing) return "incompatible accessMode";
  const labels = wants?.selector?.matchLabels ?? {};
  const unlike = Object.entries(labels).some(([key, value]) => volume.metadata.labels?.[key] !== value);
  return unlike || wants?.selector?.matchExpressions ? "selector does not match" : undefined;
}

/** The volume for a claim among those that exist: the one reserved for it, or the smallest that is free and fits. */
export function existingVolume(volumes: readonly Volume[], claim: Claim): Volume | undefined {
  const alive = volumes.filter(({ metadata }) => !metadata.deletionTimestamp);
  const reserved = alive.find((volume) => isReservedFor(volume, claim) && !mismatch(volume, claim));
  // An existing volume has its own contents: a claim that is to be filled takes only one that was filled for it.
  if (reserved || claim.spec?.dataSourceRef || claim.spec?.dataSource) return reserved;
  return alive
    .filter(({ spec, status }) => !spec?.claimRef && status?.phase === "Available")
    .filter((volume) => !mismatch(volume, claim))
    .sort((a, b) => compareQuantities(a.spec?.capacity?.storage, b.spec?.capacity?.storage))[0];
}
