import { fingerprint } from "../../lib/hash.ts";
import { MAX_NAME, objectName } from "../../lib/names.ts";

/** The stamp and the dash before it. */
const TAIL = "-20260524-021300".length;
const HEAD = MAX_NAME - TAIL;

/**
 * The name of what a schedule makes for a slot: made twice, it is there already. It goes by the slot itself, in UTC,
 * and not by the jitter on top, which may be edited in between.
 */
export function slotName(scheduleName: string, slot: number): string {
  const stamp = new Date(slot).toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  const name = objectName(scheduleName);
  if (name.length <= HEAD) return `${name}-${stamp}`;
  const mark = fingerprint(scheduleName);
  return `${name.slice(0, HEAD - mark.length - 1).replace(/-+$/, "")}-${mark}-${stamp}`;
}
