import { EngineError } from "../../wire/engine_error.ts";
import type { CheckWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";
import { pastDeadLocks } from "./past_dead_locks.ts";

/** A check that finds something is kept, and fails: nobody must take damage for success. */
export async function check(context: WorkContext, work: CheckWork): Promise<void> {
  const { repository, keep } = context;
  const options = watched(context, "check");
  const found = await pastDeadLocks(context, () => repository.check({ ...work, ...options }));
  keep({ check: found });
  if (found.problems.length > 0) throw damaged("the repository", found.problems);
}

export function damaged(what: string, problems: readonly string[]): EngineError {
  const more = problems.length > 1 ? ` and ${problems.length - 1} more` : "";
  return new EngineError("Corrupt", `${what} is damaged: ${problems[0]}${more}`);
}
