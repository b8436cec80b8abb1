import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";

/** What tells two objects apart that somebody asked for by hand: the time, and a little chance. */
export function stamp({
  clock,
  random,
}: {
  readonly clock: Pick<Clock, "now">;
  readonly random: Random;
}): string {
  const at = new Date(clock.now()).toISOString().replace(/[-:]|\..*$/g, "");
  return `${at.replace("T", "-")}-${random.hex(2)}`;
}
