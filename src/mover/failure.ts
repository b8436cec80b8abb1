import { DeadlineExceeded } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";
import { EngineError, type EngineFailure } from "../wire/engine_error.ts";
import { EXIT_BAD_WORK, EXIT_CODES, EXIT_FAULT } from "../wire/exit_codes.ts";
import { BadWork } from "./spec/bad_work.ts";

/** How a failed mover ends. */
export interface Ending {
  readonly failure: EngineFailure;
  readonly exitCode: number;
}

/** What is reported of whatever was thrown, and the exit code that goes with it. */
export function endingOf(error: unknown, signal: AbortSignal): Ending {
  if (error instanceof EngineError) return { failure: error.toJSON(), exitCode: EXIT_CODES[error.class] };
  if (error instanceof BadWork) {
    const remedy = "Give the mover a work spec that the operator of the same release wrote.";
    return {
      failure: new EngineError("InvalidOption", error.message, { remedy }).toJSON(),
      exitCode: EXIT_BAD_WORK,
    };
  }
  if (signal.aborted) {
    const { reason } = signal;
    const stopped =
      reason instanceof DeadlineExceeded
        ? new EngineError("Deadline", reason.message)
        : new EngineError("Cancelled", "the mover was told to end");
    return { failure: stopped.toJSON(), exitCode: EXIT_CODES[stopped.class] };
  }
  const fault = new EngineError("EngineFailed", `the mover itself failed: ${messageOf(error)}`, {
    remedy: "Report it, with the mover's log.",
    detail: error instanceof Error ? (error.stack ?? "") : "",
  });
  return { failure: fault.toJSON(), exitCode: EXIT_FAULT };
}
