import type { RestoreWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";
import { findReferenced } from "./referenced.ts";

export async function restore(context: WorkContext, { snapshot, ...settings }: RestoreWork): Promise<void> {
  const { repository, keep } = context;
  const options = watched(context, "restore");
  const found = await findReferenced(repository, snapshot, options.signal);
  const restored = await repository.restore({ ...settings, snapshot: found.id, ...options });
  keep({ restore: { snapshot: found, ...restored } });
}
