/** What the crash test writes in its nth round: of many lengths, and whole only when it is this. */
export function valueOfRound(round: number): string {
  return `${round} `.repeat(1 + (round % 700));
}
