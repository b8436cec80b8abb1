import { isRecord } from "../../lib/json.ts";
import type { UnlockOptions } from "../engine.ts";
import { type ResticProgram, runRestic } from "./command.ts";
import { textOf, WITHOUT_LOCK } from "./repository_context.ts";

/** Removes locks of the dead, or all of them. Returns how many. */
export async function unlock(
  restic: ResticProgram,
  { all = false, gone = [], signal }: UnlockOptions,
): Promise<number> {
  const before = await locks(restic, signal);
  if (before.length === 0) return 0;
  await remove(restic, all, signal);
  let after = await locks(restic, signal);
  if (!all && gone.length > 0 && (await allOf(restic, after, new Set(gone), signal))) {
    // To ask for the owners takes a while, in which somebody alive may have come.
    const now = await locks(restic, signal);
    if (now.every((lock) => after.includes(lock))) await remove(restic, true, signal);
    after = await locks(restic, signal);
  }
  const left = new Set(after);
  return before.filter((lock) => !left.has(lock)).length;
}

/** By itself, restic removes only what is half an hour old, or of a process of this host that it does not see. */
function remove(restic: ResticProgram, all: boolean, signal: AbortSignal | undefined) {
  const what = "unlocking the repository";
  return textOf(restic, ["unlock", ...(all ? ["--remove-all"] : [])], { what, signal });
}

/** restic removes one lock only with all others, so each must be of a host that is gone. */
async function allOf(
  restic: ResticProgram,
  ids: readonly string[],
  gone: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const id of ids) {
    const owner = await ownerOf(restic, id, signal);
    if (owner === undefined || !gone.has(owner)) return false;
  }
  return ids.length > 0;
}

async function ownerOf(
  restic: ResticProgram,
  id: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  let text = "";
  const onLine = (line: unknown) => {
    text += typeof line === "string" ? line : JSON.stringify(line);
  };
  const what = "reading a lock";
  await runRestic(restic, ["cat", "lock", id, ...WITHOUT_LOCK], { what, signal, patience: "Short", onLine });
  const lock: unknown = JSON.parse(text.slice(text.indexOf("{")));
  return isRecord(lock) && typeof lock.hostname === "string" ? lock.hostname : undefined;
}

function locks(restic: ResticProgram, signal: AbortSignal | undefined): Promise<readonly string[]> {
  return textOf(restic, ["list", "locks", ...WITHOUT_LOCK], { what: "listing locks", signal });
}
