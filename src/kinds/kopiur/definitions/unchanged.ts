/**
 * CEL that is true when an optional field of the whole object is as it was. Every field on the way to it is
 * required or has a default.
 */
export function unchanged(path: string): string {
  const now = `self.${path}`;
  const before = `oldSelf.${path}`;
  return `has(${now}) == has(${before}) && (!has(${now}) || ${now} == ${before})`;
}
