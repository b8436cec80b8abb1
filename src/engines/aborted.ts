import { DeadlineExceeded } from "../lib/clock.ts";
import { EngineError } from "../wire/engine_error.ts";

/**
 * Throws when the signal has aborted: `Deadline`, its reason where that is an EngineError, and otherwise `Cancelled`.
 * `what` names the operation.
 */
export function throwIfAborted(what: string, signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  const cause: unknown = signal.reason;
  if (cause instanceof EngineError) throw cause;
  if (cause instanceof DeadlineExceeded)
    throw new EngineError("Deadline", `${what}: ${cause.message}`, { cause });
  throw new EngineError("Cancelled", `${what} was cancelled`, { cause });
}
