type Texts = Readonly<Record<string, string>>;

/**
 * Labels or annotations, of which these names are only for the operator: what others put there is left out, and what
 * the object had before stays.
 */
export function operatorOnly(
  given: Texts | undefined,
  before: Texts | undefined,
  names: readonly string[],
): Texts | undefined {
  const kept = Object.entries(before ?? {}).filter(([name]) => names.includes(name));
  if (!given && kept.length === 0) return undefined;
  const others = Object.entries(given ?? {}).filter(([name]) => !names.includes(name));
  return Object.fromEntries([...others, ...kept]);
}
