import type { Call } from "./command.ts";

/** How often the changing line is written anew, in milliseconds. */
const TICK = 1_000;

/** Shows how long something has taken that tells nothing else of itself. The returned function ends it. */
export function elapsed({ progress, clock }: Pick<Call, "progress" | "clock">, what: string): () => void {
  const since = clock.monotonic();
  let cancel = () => {};
  const again = () => {
    progress.show(`  ${what}: ${Math.floor((clock.monotonic() - since) / 1000)} s`);
    cancel = clock.after(TICK, again);
  };
  cancel = clock.after(TICK, again);
  return () => {
    cancel();
    progress.clear();
  };
}
