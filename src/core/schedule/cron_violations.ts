import { parseCron } from "../policy/cron.ts";
import { durationMs } from "../policy/duration.ts";
import { parseZone } from "../policy/zone.ts";
import type { Finding } from "../reconcile/finding.ts";
import type { Violation } from "../reconcile/violation.ts";

/** A time that is given in cron, and where it stands. */
export interface CronField {
  readonly cron: string;
  readonly field: string;
}

/** Times that nobody could tell, and a zone that nobody knows. `at` is where the schedule stands. */
export function cronViolations(
  crons: readonly CronField[],
  timezone: string,
  at: string,
): readonly Violation[] {
  const zone = parseZone(timezone);
  const zones = zone.ok ? [] : [violation("InvalidTimezone", `${at}.timezone`, zone.error)];
  return [
    ...zones,
    ...crons.flatMap(({ cron, field }) => {
      // Where H falls differs from object to object, whether the expression can be used does not.
      const parsed = parseCron({ expression: cron, seed: "" });
      return parsed.ok ? [] : [violation("InvalidSchedule", field, parsed.error)];
    }),
  ];
}

/** The parser says what, why and what to do in one sentence, the fix behind its last semicolon. */
const SENTENCE = /^(.* (?:cannot be used|is not known)): (.*); (.*)$/s;

function violation(reason: string, field: string, sentence: string): Violation {
  const [, what = "the schedule cannot be used", why = sentence, fix = "correct it"] =
    SENTENCE.exec(sentence) ?? [];
  return { reason, field, what, why, fix: fix.charAt(0).toUpperCase() + fix.slice(1) };
}

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
