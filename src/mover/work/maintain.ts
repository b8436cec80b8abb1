import type { MaintainWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";

/** Housekeeping; locks of the dead first, since it must be alone in the repository. */
export async function maintain(context: WorkContext, { unlock = true, ...how }: MaintainWork): Promise<void> {
  const { repository, capabilities, keep } = context;
  const options = watched(context, "maintain");
  const locks = unlock && capabilities.locks ? { locksRemoved: await repository.unlock(options) } : {};
  keep({ maintain: locks });
  keep({ maintain: { ...(await repository.maintain({ ...how, ...options })), ...locks } });
}
