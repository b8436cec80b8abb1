import type { VerifyWork } from "../../wire/work.ts";
import { damaged } from "./check.ts";
import { type WorkContext, watched } from "./context.ts";
import { findReferenced } from "./referenced.ts";

/** Reads a snapshot as a restore would. One that cannot be read fails, with what was found. */
export async function verify(context: WorkContext, { snapshot, ...how }: VerifyWork): Promise<void> {
  const { repository, keep } = context;
  const options = watched(context, "verify");
  const { id } = await findReferenced(repository, snapshot, options.signal);
  const { files, problems } = await repository.verify({ ...how, snapshot: id, ...options });
  keep({ verify: { ...(files === undefined ? {} : { files }), problems } });
  if (problems.length > 0) throw damaged(`snapshot ${id}`, problems);
}
