import { parseCron } from "../../../core/policy/cron.ts";
import { durationMs } from "../../../core/policy/duration.ts";
import type { CronField } from "../rules/cron_violations.ts";
import type { Finding } from "./check.ts";

/** The shortest time between two slots of the next few tells enough. */
const SLOTS = 8;

/** A delay that reaches into the next run. */
export function longJitter({
  cron,
  jitter,
  field,
}: CronField & { readonly jitter?: string | undefined }): readonly Finding[] {
  const parsed = parseCron({ expression: cron, seed: "" });
  if (!parsed.ok || jitter === undefined) return [];
  const slots = parsed.value.slotsBetween(0, Number.MAX_SAFE_INTEGER, SLOTS);
  const gaps = slots.slice(1).map((slot, index) => slot - (slots[index] ?? slot));
  if (durationMs(jitter) <= Math.min(...gaps)) return [];
  const warn = `${field.replace(/cron$/, "jitter")}: ${jitter} is longer than the time between two runs, and is cut there`;
  return [{ warn }];
}
