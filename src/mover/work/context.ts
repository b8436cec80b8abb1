import type { OperationOptions, Repository } from "../../engines/engine.ts";
import type { Capabilities } from "../../wire/capabilities.ts";
import type { Progress } from "../../wire/progress.ts";
import type { Answer, Step } from "../../wire/report.ts";
import type { RepositorySpec, SessionWork } from "../../wire/work.ts";
import type { Reporter } from "../report/reporter.ts";

/** What every kind of work is given. */
export interface WorkContext {
  readonly run: string;
  /** Earlier ones for the same, which are known to have ended. */
  readonly endedRuns: readonly string[];
  readonly repository: Repository;
  readonly capabilities: Capabilities;
  readonly signal: AbortSignal;
  readonly reporter: Reporter;
  /** Keeps what was achieved so far for the result, instead of what was kept before. */
  readonly keep: (answer: Answer) => void;
  /** Says in the log and the result what was done otherwise than asked. */
  readonly warn: (warning: string) => void;
  /** Opens the second repository of a copy, with its own secrets. The mover closes it. */
  readonly openDestination: (repository: RepositorySpec) => Promise<Repository>;
  /** Answers questions until idle or told to end. Returns how many there were. */
  readonly serve: (work: SessionWork) => Promise<number>;
}

/**
 * The signal, and progress that is reported under this step and source. Where several operations make it up, one after
 * the other, what each moves adds up.
 */
export function watched(
  { signal, reporter }: WorkContext,
  step: Step,
  source?: string,
): Required<OperationOptions> {
  reporter.progress(step, {}, source);
  let earlier = 0;
  let last = 0;
  const onProgress = (progress: Progress) => {
    const { movedBytes } = progress;
    if (movedBytes === undefined) return reporter.progress(step, progress, source);
    if (movedBytes < last) earlier += last;
    last = movedBytes;
    reporter.progress(step, { ...progress, movedBytes: earlier + movedBytes }, source);
  };
  return { signal, onProgress };
}
