import { type WorkContext, watched } from "./context.ts";

/** The repository is open already, and was created where that was allowed: what is left is to measure it. */
export async function init(context: WorkContext): Promise<void> {
  context.keep({ init: await context.repository.stats(watched(context, "init")) });
}
