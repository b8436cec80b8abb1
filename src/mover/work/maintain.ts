import type { MaintainAnswer } from "../../wire/report.ts";
import type { MaintainWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";

/** Housekeeping; locks of the dead first, since it must be alone in the repository. */
export async function maintain(context: WorkContext, { unlock = true, ...how }: MaintainWork): Promise<void> {
  const { repository, capabilities, keep } = context;
  const options = watched(context, "maintain");
  const locks = unlock && capabilities.locks ? { locksRemoved: await repository.unlock(options) } : {};
  let known: MaintainAnswer = locks;
  const learn = (more: MaintainAnswer) => {
    known = { ...known, ...more };
    keep({ maintain: known });
  };
  learn({});
  learn(await repository.maintain({ ...how, ...options, onOwner: (owner) => learn({ owner }) }));
}
