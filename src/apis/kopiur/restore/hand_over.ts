import type { Stand } from "../verdicts.ts";

/* What is said while a filled volume becomes its claim's. */

export const HANDING_OVER: Stand = {
  state: "reconciling",
  reason: "HandingOver",
  message: "The volume is filled, and handed over to the claim.",
};

/** The claim is late. */
export const NOT_TAKEN: Stand = {
  state: "reconciling",
  warning: true,
  reason: "VolumeNotTaken",
  message:
    "The volume is filled and reserved for the claim, which has not taken it: the events of the claim say why.",
};

/** A claim takes the volume that is reserved for it within seconds. */
const LONGEST_HAND_OVER = 60_000;

/** Until a claim that is late is looked at again. */
export const LOOK_FOR_TAKEN = 60_000;

export function isLate(filledAt: string | undefined, now: number): boolean {
  return now - Date.parse(filledAt ?? "") > LONGEST_HAND_OVER;
}
