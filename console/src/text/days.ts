import type { Day } from "../../../src/cli/console/contract.ts";
import type { Tone } from "./levels.ts";

/** A day by its worst. */
export function dayTone({ good, incomplete, failed }: Day): Tone {
  if (failed > 0) return "bad";
  if (incomplete > 0) return "warn";
  return good > 0 ? "good" : "dim";
}

const NAMED = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

/** A day in words, for who does not see its colour. */
export function dayText({ day, good, incomplete, failed }: Day): string {
  const parts = [
    ...(good > 0 ? [`${good} good`] : []),
    ...(incomplete > 0 ? [`${incomplete} incomplete`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return `${NAMED.format(Date.parse(`${day}T00:00:00Z`))}: ${parts.join(", ") || "no backups"}`;
}

const DAY = 86_400_000;

/** The weeks up to a day, from Monday to Sunday, the oldest first. Days that no list names are empty ones. */
export function weeksOf(days: readonly Day[], until: string, weeks: number): readonly (readonly Day[])[] {
  const known = new Map(days.map((day) => [day.day, day]));
  const last = Date.parse(`${until.slice(0, 10)}T00:00:00Z`);
  const monday = last - ((new Date(last).getUTCDay() + 6) % 7) * DAY;
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => monday + (week - weeks + 1) * 7 * DAY + day * DAY)
      .filter((time) => time <= last)
      .map((time) => {
        const day = new Date(time).toISOString().slice(0, 10);
        return known.get(day) ?? { day, good: 0, incomplete: 0, failed: 0 };
      }),
  );
}
