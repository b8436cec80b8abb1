import { isRecord } from "../../lib/json.ts";
import type { UnlockOptions } from "../engine.ts";
import { type Call, callFor } from "../meter.ts";
import { type ResticProgram, runRestic } from "./command.ts";
import { textOf, WITHOUT_LOCK } from "./repository_context.ts";

/** Removes locks of the dead, or all of them. Returns how many. */
export async function unlock(
  restic: ResticProgram,
  { all = false, gone = [], ...options }: UnlockOptions,
): Promise<number> {
  const call = callFor("unlocking the repository", options, restic.clock);
  const before = await locks(restic, call);
  if (before.length === 0) return 0;
  await remove(restic, all, call);
  let after = await locks(restic, call);
  if (!all && gone.length > 0 && (await allOf(restic, after, new Set(gone), call))) {
    // To ask for the owners takes a while, in which somebody alive may have come.
    const now = await locks(restic, call);
    if (now.every((lock) => after.includes(lock))) await remove(restic, true, call);
    after = await locks(restic, call);
  }
  const left = new Set(after);
  return before.filter((lock) => !left.has(lock)).length;
}

/** By itself, restic removes only what is half an hour old, or of a process of this host that it does not see. */
function remove(restic: ResticProgram, all: boolean, call: Call) {
  return textOf(restic, ["unlock", ...(all ? ["--remove-all"] : [])], call);
}

/** restic removes one lock only with all others, so each must be of a host that is gone. */
async function allOf(
  restic: ResticProgram,
  ids: readonly string[],
  gone: ReadonlySet<string>,
  call: Call,
): Promise<boolean> {
  for (const id of ids) {
    const owner = await ownerOf(restic, id, call);
    if (owner === undefined || !gone.has(owner)) return false;
  }
  return ids.length > 0;
}

async function ownerOf(restic: ResticProgram, id: string, call: Call): Promise<string | undefined> {
  let text = "";
  const onLine = (line: unknown) => {
    text += typeof line === "string" ? line : JSON.stringify(line);
  };
  const how = { ...call, what: "reading a lock", patience: "Short", onLine } as const;
  await runRestic(restic, ["cat", "lock", id, ...WITHOUT_LOCK], how);
  const lock: unknown = JSON.parse(text.slice(text.indexOf("{")));
  return isRecord(lock) && typeof lock.hostname === "string" ? lock.hostname : undefined;
}

function locks(restic: ResticProgram, call: Call): Promise<readonly string[]> {
  return textOf(restic, ["list", "locks", ...WITHOUT_LOCK], { ...call, what: "listing locks" });
}
