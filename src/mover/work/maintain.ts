import { EngineError } from "../../wire/engine_error.ts";
import type { ErrorClass } from "../../wire/error_classes.ts";
import type { CheckAnswer, MaintainAnswer } from "../../wire/report.ts";
import type { MaintainWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";
import { pastDeadLocks } from "./past_dead_locks.ts";

/** Failures after which the repository can be checked all the same: it answers, and another maintains it, or it is damaged. */
const CHECKED_AFTER: readonly ErrorClass[] = ["OwnedByAnother", "Corrupt"];

/**
 * Housekeeping; locks of the dead first, since it must be alone in the repository. What a check afterwards finds is part
 * of the answer: the housekeeping is done, whatever is missing.
 */
export async function maintain(
  context: WorkContext,
  { unlock = true, check = false, ...how }: MaintainWork,
): Promise<void> {
  const { repository, capabilities, keep } = context;
  const options = watched(context, "maintain");
  const locks = unlock && capabilities.locks ? { locksRemoved: await repository.unlock(options) } : {};
  let known: MaintainAnswer = locks;
  const learn = (more: MaintainAnswer) => {
    known = { ...known, ...more };
    keep({ maintain: known });
  };
  learn({});
  try {
    learn(await repository.maintain({ ...how, ...options, onOwner: (owner) => learn({ owner }) }));
  } catch (error) {
    if (check && error instanceof EngineError && CHECKED_AFTER.includes(error.class))
      learn(await checked(context));
    throw error;
  }
  if (check) learn(await checked(context));
}

/** A quick check. That it came to no end is no failure of the housekeeping. */
async function checked(context: WorkContext): Promise<{ readonly check?: CheckAnswer }> {
  const { repository, signal, warn } = context;
  try {
    const options = watched(context, "check");
    return {
      check: await pastDeadLocks(context, () => repository.check({ quick: true, ...options })),
    };
  } catch (error) {
    if (!(error instanceof EngineError) || signal.aborted) throw error;
    warn(`The repository was maintained, and not checked: ${error.message}.`);
    return {};
  }
}
