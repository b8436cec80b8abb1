import { parseCron } from "../../../core/policy/cron.ts";
import { parseZone } from "../../../core/policy/zone.ts";
import type { Violation } from "./violation.ts";

/** A time that is given in cron, and where it stands. */
export interface CronField {
  readonly cron: string;
  readonly field: string;
}

/** Times that nobody could tell, and a zone that nobody knows. `at` is where the schedule stands. */
export function cronViolations(
  crons: readonly CronField[],
  timezone: string,
  at = "spec.schedule",
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
