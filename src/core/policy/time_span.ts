const DAY = 86_400_000;
const UNITS: Readonly<Record<string, number>> = {
  y: 365 * DAY,
  m: 30 * DAY,
  w: 7 * DAY,
  d: DAY,
  h: DAY / 24,
};

/** Milliseconds of a span of time such as 1y6m, with months of thirty days. */
export function spanMs(text: string): number {
  return [...text.matchAll(/(\d+)([ymdhw])/g)].reduce(
    (sum, [, amount, unit = ""]) => sum + Number(amount) * (UNITS[unit] ?? 0),
    0,
  );
}
