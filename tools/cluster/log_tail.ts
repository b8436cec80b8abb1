import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The last lines of a log, from its last 16 KiB; a word about it when there are none. */
export function tailOf(path: string, lines = 15): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "(no log)";
  }
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, 16 * 1024));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const text = buffer.toString("utf8").trimEnd();
    return text === "" ? "(empty log)" : text.split("\n").slice(-lines).join("\n");
  } finally {
    closeSync(file);
  }
}
