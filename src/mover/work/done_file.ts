import { chmod, mkdir, open, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../lib/result.ts";
import { EngineError } from "../../wire/engine_error.ts";

/**
 * Makes the file that says that everything is restored, in folders of its own: what a snapshot holds of such files, or
 * links in their place, goes. Whoever waits for it may not be root.
 */
export async function makeDoneFile(target: string, path: string): Promise<void> {
  const [first = ""] = path.split("/");
  const file = join(target, path);
  try {
    await rm(join(target, first), { recursive: true, force: true });
    await mkdir(dirname(file), { recursive: true });
    await using made = await open(file, "wx", 0o644);
    await made.chmod(0o644);
    await made.sync();
    for (let folder = dirname(file); folder !== target; folder = dirname(folder)) await chmod(folder, 0o755);
  } catch (error) {
    throw new EngineError("TargetNotWritable", `restoring: ${file} cannot be made: ${messageOf(error)}`);
  }
}

/** Who waits for the mark may not see it, where only its owner may look into the target; nothing where everybody may. */
export async function hiddenFrom(target: string): Promise<string | undefined> {
  const { mode, uid } = await stat(target);
  if ((mode & SEARCHED_BY_ALL) !== 0) return undefined;
  const octal = (mode & 0o7777).toString(8).padStart(4, "0");
  return `the root of the volume has the mode ${octal} and belongs to user ${uid}: an init container of another user cannot see that the data is there, and the pod does not start. Let its init container run as root or as that user`;
}

const SEARCHED_BY_ALL = 0o001;
