import { bytesText } from "../../lib/bytes_text.ts";
import { countText } from "../count_text.ts";
import { allOf } from "../files/all_of.ts";
import { safeName } from "../files/entry_text.ts";
import { type Difference, treeDifferences } from "../files/tree_difference.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import type { Paint } from "../frame/terminal.ts";
import type { BackupSnapshot } from "../session/chosen_snapshot.ts";
import { cleanPath } from "../session/clean_path.ts";
import { snapshotNamed, withRepository } from "../session/with_snapshot.ts";

/** What became different between two snapshots. */
export async function diff(call: Call): Promise<ExitCode> {
  const { given, signal, out, paint } = call;
  const [older, newer] = await Promise.all([
    snapshotNamed(call, given.word(0)),
    snapshotNamed(call, given.word(1)),
  ]);
  const { root } = older.snapshot;
  const same = root !== undefined && root === newer.snapshot.root;
  const found = same
    ? []
    : await withRepository(call, [older.backup, newer.backup], (client) => {
        const list = (snapshot: BackupSnapshot) => (path: string) =>
          client.entries(snapshot.kopiaSnapshotID, path, { signal });
        const path = cleanPath(given.words[2]);
        return allOf(treeDifferences(list(older.snapshot), list(newer.snapshot), path));
      });
  if (await printedValue(call, found)) return EXIT.done;
  for (const one of found) out(differenceText(one, paint));
  out(found.length === 0 ? "nothing is different" : countText(found.length, "difference"));
  return EXIT.done;
}

/** One line: `+` came, `-` went, `~` changed. */
export function differenceText({ path, change, what, before, after }: Difference, paint: Paint): string {
  const name = safeName(path) + ((after ?? before)?.type === "Folder" ? "/" : "");
  if (change === "added") return paint("good", `+ ${name}`);
  if (change === "removed") return paint("bad", `- ${name}`);
  const sizes = what?.includes("size")
    ? ` ${bytesText(before?.size ?? 0)} → ${bytesText(after?.size ?? 0)}`
    : "";
  return paint("warn", `~ ${name} (${what?.join(", ")}${sizes})`);
}
