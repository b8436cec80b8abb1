import type { CopyWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";

export async function copy(context: WorkContext, { destination, filter }: CopyWork): Promise<void> {
  const { repository, openDestination, keep } = context;
  const options = watched(context, "copy");
  const second = await openDestination(destination);
  keep({ copy: await repository.copyTo(second, { ...(filter ? { filter } : {}), ...options }) });
}
