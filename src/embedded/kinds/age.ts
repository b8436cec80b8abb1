const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A length of time as kubectl shows it: two units at most, the second only while the first is small. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  // Clocks differ a little: what was made a moment from now is new.
  if (seconds < -1) return "<invalid>";
  if (seconds < 2 * MINUTE) return `${Math.max(0, seconds)}s`;
  if (seconds < 10 * MINUTE) return two(seconds, MINUTE, "m", 1, "s");
  if (seconds < 3 * HOUR) return one(seconds, MINUTE, "m");
  if (seconds < 8 * HOUR) return two(seconds, HOUR, "h", MINUTE, "m");
  if (seconds < 2 * DAY) return one(seconds, HOUR, "h");
  if (seconds < 8 * DAY) return two(seconds, DAY, "d", HOUR, "h");
  if (seconds < 2 * YEAR) return one(seconds, DAY, "d");
  if (seconds < 8 * YEAR) return two(seconds, YEAR, "y", DAY, "d");
  return one(seconds, YEAR, "y");
}

function one(seconds: number, unit: number, letter: string): string {
  return `${Math.trunc(seconds / unit)}${letter}`;
}

function two(seconds: number, unit: number, letter: string, small: number, smallLetter: string): string {
  const rest = Math.trunc((seconds % unit) / small);
  return one(seconds, unit, letter) + (rest === 0 ? "" : `${rest}${smallLetter}`);
}

/** How long ago a time was; `<unknown>` without one. */
export function ageOf(time: unknown, now: number): string {
  return typeof time === "string" && time !== "" ? humanDuration(now - Date.parse(time)) : "<unknown>";
}
