import { EngineError } from "../../wire/engine_error.ts";
import type { WorkContext } from "./context.ts";

/** When a lock is in the way of the work, those of dead owners are removed, and it is tried once more. */
export async function pastDeadLocks<T>(context: WorkContext, work: () => Promise<T>): Promise<T> {
  const { repository, capabilities, reporter, signal } = context;
  try {
    return await work();
  } catch (error) {
    const locked = error instanceof EngineError && error.class === "Locked";
    if (!locked || !capabilities.locks) throw error;
    const removed = await repository.unlock({ signal });
    if (removed === 0) throw error;
    reporter.log("warn", `removed ${removed} locks whose owners are dead, and try again`);
    return work();
  }
}
