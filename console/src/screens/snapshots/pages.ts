/** So many rows come with one answer. */
export const PAGE = 200;

/** The offsets of the pages that hold these rows. */
export function pagesOf(first: number, last: number): readonly number[] {
  const from = Math.floor(Math.max(0, first) / PAGE);
  const to = Math.floor(Math.max(0, last) / PAGE);
  return Array.from({ length: to - from + 1 }, (_, index) => (from + index) * PAGE);
}
