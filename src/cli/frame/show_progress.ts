import { conditionOf, type ShownObject } from "../../core/view/shown_object.ts";
import type { Progress } from "../../wire/progress.ts";
import { Pace } from "../pace.ts";
import { bytesDone, progressBar } from "../progress_bar.ts";
import type { Call } from "./command.ts";

const INDENT = "  ";

/**
 * Tells how an object gets on: each change of its stand in a line, and how far it is in one that changes.
 * The returned function is shown the object each time.
 */
export function showProgress<T extends ShownObject>(
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
    if (!progress) return;
    const perSecond = pace.seen(bytesDone(progress));
    screen.show(`${INDENT}${progressBar(progress, { perSecond, room: screen.columns - INDENT.length })}`);
  };
}

/** The phase, and while it waits, what for. */
export function standText(object: ShownObject): string {
  const { phase = "Pending" } = object.status ?? {};
  const ready = conditionOf(object, "Ready");
  return ready?.status === "False" && ready.message ? `${phase}: ${ready.message}` : phase;
}
