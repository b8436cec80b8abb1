/** An RFC 3339 time, whose fraction may have up to nine digits, as seconds since 1970 and nanoseconds. */
export function secondsAndNanoseconds(time: string): readonly [number, number] {
  const [, whole = "", fraction = "", zone = "Z"] = /^(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return [Date.parse(`${whole}${zone}`) / 1000, Number(fraction.padEnd(9, "0").slice(0, 9))];
}
