import type { Zone } from "./zone.ts";

/** How many of each are kept. What is not named, or zero, keeps none. */
export interface RetentionRules {
  readonly keepLatest?: number | undefined;
  readonly keepHourly?: number | undefined;
  readonly keepDaily?: number | undefined;
  readonly keepWeekly?: number | undefined;
  readonly keepMonthly?: number | undefined;
  readonly keepAnnual?: number | undefined;
}

export type RetentionRule = keyof RetentionRules;

/** In the order in which they are told. */
export const RETENTION_RULES: readonly RetentionRule[] = [
  "keepLatest",
  "keepHourly",
  "keepDaily",
  "keepWeekly",
  "keepMonthly",
  "keepAnnual",
];

export function keepsSome(rules: RetentionRules): boolean {
  return RETENTION_RULES.some((rule) => (rules[rule] ?? 0) > 0);
}

const DAY = 86_400_000;

/** The hour, day, week, month or year of an instant, as text: of the snapshots that share one, a rule keeps the latest. */
export function bucketOf(rule: Exclude<RetentionRule, "keepLatest">, instant: number, zone: Zone): string {
  const wall = zone.wallAt(instant);
  const text = new Date(wall).toISOString();
  switch (rule) {
    case "keepHourly":
      return text.slice(0, "2026-05-24T02".length);
    case "keepDaily":
      return text.slice(0, "2026-05-24".length);
    case "keepWeekly":
      return isoWeek(wall);
    case "keepMonthly":
      return text.slice(0, "2026-05".length);
    case "keepAnnual":
      return text.slice(0, "2026".length);
  }
}

/** Weeks begin on Monday, and belong to the year that their Thursday is in. */
function isoWeek(wall: number): string {
  const weekday = (new Date(wall).getUTCDay() + 6) % 7;
  const thursday = new Date(wall + (3 - weekday) * DAY);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY / 7);
  return `${year}-W${String(week).padStart(2, "0")}`;
}
