import { messageOf } from "../../lib/result.ts";
import type { WorkSpec } from "../../wire/work.ts";
import type { WorkContext } from "./context.ts";

/** Removes what earlier runs locked, that are known to have ended: a mover's host has the name of its run. */
export async function releaseLocks(
  { repository, capabilities, reporter, signal }: WorkContext,
  { endedRuns = [], repository: { readOnly }, work }: WorkSpec,
): Promise<void> {
  if (endedRuns.length === 0 || !capabilities.locks || readOnly || "session" in work) return;
  try {
    const removed = await repository.unlock({ gone: endedRuns, signal });
    if (removed > 0) reporter.log("info", `removed ${removed} locks that earlier runs had left`);
  } catch (error) {
    if (signal.aborted) throw error;
    // Whatever the lock is in the way of says so itself.
    reporter.log("warn", `locks of earlier runs could not be removed: ${messageOf(error)}`);
  }
}
