import { DeadlineExceeded } from "../lib/clock.ts";
import { EngineError } from "../wire/engine_error.ts";

/** Throws `Deadline` or `Cancelled` when the signal has aborted. `what` names the operation. */
export function throwIfAborted(what: string, signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  const cause: unknown = signal.reason;
  if (cause instanceof DeadlineExceeded)
    throw new EngineError("Deadline", `${what}: ${cause.message}`, { cause });
  throw new EngineError("Cancelled", `${what} was cancelled`, { cause });
}
