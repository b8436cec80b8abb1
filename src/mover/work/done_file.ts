import { chmod, mkdir, open, rm } from "node:fs/promises";
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
