const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** A stretch of time for people, in its one or two largest units: `3d4h`, `5m`, `12s`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const largest = UNITS.findIndex(([, size]) => seconds >= size);
  if (largest < 0) return "0s";
  const [unit, size] = UNITS[largest] ?? ["s", 1];
  const whole = Math.floor(seconds / size);
  const [next, smaller] = UNITS[largest + 1] ?? ["", 0];
  const rest = smaller ? Math.floor((seconds % size) / smaller) : 0;
  return rest > 0 && whole < 10 ? `${whole}${unit}${rest}${next}` : `${whole}${unit}`;
}

/** How long ago a moment was: `3h ago`; `in 5m` for one to come; nothing for none. */
export function agoText(at: string | undefined, now: number): string {
  const moment = at === undefined ? Number.NaN : Date.parse(at);
  if (Number.isNaN(moment)) return "";
  return moment > now ? `in ${durationText(moment - now)}` : `${durationText(now - moment)} ago`;
}
