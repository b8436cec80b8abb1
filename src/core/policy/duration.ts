const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration as Go writes it, such as `1h30m`. Throws a TypeError on anything else. */
export function durationMs(text: string): number {
  if (!/^(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/.test(text))
    throw new TypeError(`${JSON.stringify(text)} is no duration`);
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)/g)) {
    sum += Number(amount) * (UNITS[unit] ?? 0);
  }
  return sum;
}
