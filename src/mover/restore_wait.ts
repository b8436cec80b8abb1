import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, sleep } from "../lib/clock.ts";
import { messageOf } from "../lib/result.ts";

export interface RestoreWaitOptions {
  /** Every volume that is restored is mounted in a folder of this one. */
  readonly folder: string;
  /** Of the restore: a mark of this name is in every volume once its data is there. */
  readonly uid: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Where a restore leaves its marks in a volume. */
const MARKS = ".velero";
const LOOK_AGAIN = 1000;
/** The volume's root may have come back as it was: for its owner alone. */
const CLOSED =
  "this user may not look into it: let the init container run as root, or as the owner of the volume";

/** Keeps a pod from starting until all of its volumes are restored. Resolves to the exit code; never rejects. */
export async function restoreWait({ folder, uid, clock, signal, say }: RestoreWaitOptions): Promise<number> {
  if (!uid) {
    say("restore-wait needs the UID of a restore.\n");
    return 2;
  }
  let told = "";
  while (!signal.aborted) {
    const missing = await unrestored(folder, uid);
    if (missing.length === 0) {
      await removeMarks(folder, say);
      return 0;
    }
    const line = `Waiting for the data of ${missing.join(", ")}.\n`;
    if (line !== told) say(line);
    told = line;
    await sleep(clock, LOOK_AGAIN, signal).catch(() => {});
  }
  return 1;
}

/** The volumes without a mark, and those that cannot be looked into. */
async function unrestored(folder: string, uid: string): Promise<readonly string[]> {
  try {
    const found = await Promise.all(
      (await readdir(folder)).map(async (name) => {
        const mark = join(folder, name, MARKS, uid);
        if (!(await stat(join(folder, name))).isDirectory()) return [];
        const code = await stat(mark).then(
          () => "",
          (error: NodeJS.ErrnoException) => error.code ?? "EIO",
        );
        return code === "" ? [] : [waitedFor(name, code)];
      }),
    );
    return found.flat();
  } catch (error) {
    return [`${folder} (${messageOf(error)})`];
  }
}

/** Pure: how a volume is called whose mark could not be seen. */
export function waitedFor(name: string, code: string): string {
  return code === "EACCES" ? `${name} (${CLOSED})` : name;
}

/** Whoever waits may have no right to: then they stay, and do no harm. */
async function removeMarks(folder: string, say: (line: string) => void): Promise<void> {
  for (const name of await readdir(folder)) {
    await rm(join(folder, name, MARKS), { recursive: true, force: true }).catch((error: unknown) =>
      say(`${MARKS} stays in ${name}: ${messageOf(error)}\n`),
    );
  }
}
