/** The first few of some names, and how many more there are. */
export function someOf(names: readonly string[], most = 3): string {
  const [shown, more] = [names.slice(0, most), names.length - most];
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
