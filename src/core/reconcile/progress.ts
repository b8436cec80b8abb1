import { timestamp } from "../../kube/write/timestamp.ts";
import type { ProgressLine } from "../../wire/report.ts";
import type { TaskState } from "../work/task_decision.ts";

/** Progress is written at most this often, in milliseconds. */
export const PROGRESS_INTERVAL = 5_000;

/** What the mover last said of its work. */
export function progressOf(state: TaskState): ProgressLine | undefined {
  return state.phase === "Working" && state.state.phase === "Running" ? state.state.progress : undefined;
}

/** The progress to show: what is shown already while that is fresh, so that the status is not written all the time. */
export function shownProgress<P extends { readonly updatedAt?: string }>(
  shown: P | undefined,
  line: ProgressLine | undefined,
  now: number,
  words: (line: ProgressLine) => P,
): P | undefined {
  if (line === undefined) return shown;
  const age = shown?.updatedAt === undefined ? Number.POSITIVE_INFINITY : now - Date.parse(shown.updatedAt);
  // A clock that was set back must not silence it.
  if (age >= 0 && age < PROGRESS_INTERVAL) return shown;
  return { ...words(line), updatedAt: timestamp(now) };
}
