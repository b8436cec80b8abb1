import { existsSync } from "node:fs";
import type { Processes } from "../../lib/processes.ts";

/**
 * Removes a folder and everything in it, if it is there. Another program does it: Node would take up all the names in a
 * folder at once, and with hundreds of thousands of them stand still for seconds, and grow by hundreds of megabytes.
 */
export async function removeTree(processes: Processes, path: string): Promise<void> {
  if (!existsSync(path)) return;
  const { code, stderr } = await processes.run("rm", ["-rf", "--", path]);
  if (code !== 0) throw new Error(`${path} could not be removed: ${stderr.trim().slice(-500)}`);
}
