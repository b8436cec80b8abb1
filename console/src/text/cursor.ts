/** Where a key moves to in a list; undefined for a key that does not move. */
export function moved(key: string, at: number, count: number, page: number): number | undefined {
  const to = TARGETS[key]?.(at, count, page);
  return to === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, to));
}

const TARGETS: Readonly<Record<string, (at: number, count: number, page: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at, _, page) => at + page,
  PageUp: (at, _, page) => at - page,
  Home: () => 0,
  End: (_, count) => count - 1,
};
