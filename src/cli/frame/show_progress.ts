import type { Progress } from "../../wire/progress.ts";
import { Pace } from "../pace.ts";
import { bytesDone, progressBar } from "../progress_bar.ts";
import type { Call } from "./command.ts";
import { conditionOf, type NativeObject } from "./kinds.ts";

/**
 * Tells how an object gets on: a bar that changes on a terminal, a line for every change of its stand elsewhere.
 * The returned function is shown the object each time.
 */
export function showProgress<T extends NativeObject>(
  { progress: screen, clock }: Pick<Call, "progress" | "clock">,
  progressOf: (object: T) => Progress | undefined,
): (object: T) => void {
  const pace = new Pace(clock);
  let told = "";
  return (object) => {
    const stand = standText(object);
    if (stand !== told) screen.line(stand);
    told = stand;
    const progress = progressOf(object);
    if (progress) screen.show(`  ${progressBar(progress, pace.seen(bytesDone(progress)))}`);
  };
}

/** The phase, and while it waits, what for. */
export function standText(object: NativeObject): string {
  const { phase = "Pending" } = object.status ?? {};
  const ready = conditionOf(object, "Ready");
  return ready?.status === "False" && ready.message ? `${phase}: ${ready.message}` : phase;
}
