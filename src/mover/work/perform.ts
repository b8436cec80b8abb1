import { unreachable } from "../../lib/result.ts";
import type { Work } from "../../wire/work.ts";
import { catalog } from "./catalog.ts";
import { check } from "./check.ts";
import type { WorkContext } from "./context.ts";
import { copy } from "./copy.ts";
import { deleteSnapshots } from "./delete.ts";
import { init } from "./init.ts";
import { maintain } from "./maintain.ts";
import { restore } from "./restore.ts";
import { snapshot } from "./snapshot.ts";
import { verify } from "./verify.ts";

/** Does the work on an open repository. What it achieved is kept in the context, whatever happens then. */
export async function perform(context: WorkContext, work: Work): Promise<void> {
  if ("init" in work) return init(context);
  if ("snapshot" in work) return snapshot(context, work.snapshot);
  if ("restore" in work) return restore(context, work.restore);
  if ("delete" in work) return deleteSnapshots(context, work.delete);
  if ("maintain" in work) return maintain(context, work.maintain);
  if ("check" in work) return check(context, work.check);
  if ("verify" in work) return verify(context, work.verify);
  if ("catalog" in work) return catalog(context, work.catalog);
  if ("copy" in work) return copy(context, work.copy);
  if ("session" in work) {
    const requests = await context.serve(work.session);
    return context.keep({ session: { requests } });
  }
  return unreachable(work);
}
