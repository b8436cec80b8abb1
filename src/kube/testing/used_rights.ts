import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Names a folder, where the rights that programs under test have used are to be kept. */
export const USED_RIGHTS = "HOLDFAST_USED_RIGHTS";

/** Keeps what was used in this process for whoever asked for it, if anybody has. */
export function keepUsedRights(used: Iterable<string>): void {
  const folder = process.env[USED_RIGHTS];
  const lines = [...used];
  if (folder && lines.length > 0) appendFileSync(join(folder, `${process.pid}`), `${lines.join("\n")}\n`);
}

/** What has been kept in a folder, by all processes. */
export function usedRightsIn(folder: string): ReadonlySet<string> {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const lines = files.flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
  return new Set(lines.filter(Boolean));
}
