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
  return wants?.selector ? "claims with a selector are not served here: name the volume" : undefined;
}
