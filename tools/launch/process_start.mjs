import { readFile } from "node:fs/promises";
import { run } from "./run.mjs";

/**
 * When a process began, as the system writes it; undefined when there is no such process. Together with its ID
 * this names a process for good, where the ID alone is given again.
 * @param {number} pid
 * @returns {Promise<string | undefined>}
 */
export async function processStart(pid) {
  if (process.platform === "linux") {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
    // The name, in parentheses, may hold spaces; the start is the 20th field after it.
    return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  }
  const started = await run("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => "");
  return started.trim() || undefined;
}
