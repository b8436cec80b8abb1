const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** A stretch of time in its largest unit, for a sentence: `3 h`, `2 d`. No line ends within it. */
export function ageText(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms >= size) ?? ["min", 60_000];
  return `${Math.max(1, Math.floor(ms / size))}\u00a0${unit}`;
}

const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A moment in the person's own time zone; nothing for none. */
export function momentText(at: string | undefined): string {
  const moment = at === undefined ? Number.NaN : Date.parse(at);
  return Number.isNaN(moment) ? "" : WHOLE.format(moment);
}
