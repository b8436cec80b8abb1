import type { DeleteWork } from "../../wire/work.ts";
import { collected } from "../collected.ts";
import { type WorkContext, watched } from "./context.ts";
import { pastDeadLocks } from "./past_dead_locks.ts";
import { referenced } from "./referenced.ts";

/** Deletes what the references mean and what the runs made. What is gone already is no failure. */
export async function deleteSnapshots(context: WorkContext, work: DeleteWork): Promise<void> {
  const { repository, reporter, keep } = context;
  const options = watched(context, "delete");
  const there = await collected(repository.list({}, options));
  const runs = new Set(work.runs);
  const ids = new Set(there.filter(({ run }) => run !== undefined && runs.has(run)).map(({ id }) => id));
  for (const reference of work.snapshots) {
    const found = referenced(there, reference);
    if (found) ids.add(found.id);
    else reporter.log("info", `snapshot ${reference.id} is gone already`);
  }
  const deleted =
    ids.size === 0 ? 0 : await pastDeadLocks(context, () => repository.delete([...ids], options));
  if (work.companionsOf) {
    const beside = await repository.deleteCompanions(work.companionsOf, options);
    if (beside > 0) reporter.log("info", `deleted ${beside} records of snapshots that are gone`);
  }
  keep({ delete: { deleted } });
}
