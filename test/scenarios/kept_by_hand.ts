import type { FoundEntry } from "../../src/engines/testing/tree.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";

/**
 * What the bare engine keeps of a volume. restic keeps it all. kopia alone makes copies of hard links, knows neither
 * FIFOs nor extended attributes nor names that are not UTF-8, gives folders the time of the restore, and rounds that of
 * links.
 */
export function keptByHand(engine: EngineName, entries: readonly FoundEntry[]): readonly FoundEntry[] {
  if (engine === "restic") return entries;
  return entries
    .filter(({ kind, path }) => kind !== "fifo" && !/\\x|\ufffd/.test(path))
    .map(({ sameAs: _, xattrs: __, ...entry }) => {
      if (entry.kind === "folder") return { ...entry, mtime: "" };
      return entry.kind === "symlink"
        ? { ...entry, mtime: entry.mtime.replace(/\d{9}$/, "000000000") }
        : entry;
    });
}
