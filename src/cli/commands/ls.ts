import type { Entry } from "../../wire/entry.ts";
import { allOf } from "../files/all_of.ts";
import { ENTRY_COLUMNS, safeName } from "../files/entry_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { printedValue } from "../frame/printed.ts";
import { table } from "../frame/table.ts";
import { cleanPath } from "../session/clean_path.ts";
import { snapshotNamed, withRepository } from "../session/with_snapshot.ts";

/** What a folder of a snapshot holds. */
export async function ls(call: Call): Promise<ExitCode> {
  const { given, signal, out, paint } = call;
  const { backup, snapshot } = await snapshotNamed(call, given.word(0));
  const id = snapshot.kopiaSnapshotID;
  const path = cleanPath(given.words[1]);
  const entries = await withRepository(call, [backup], async (client) => {
    const { type, ...rest } =
      path === "" ? { type: "Folder" as const } : await client.entry(id, path, { signal });
    if (type !== "Folder") return [{ type, ...rest } as Entry];
    return allOf(client.entries(id, path, { signal }));
  });
  if (await printedValue(call, entries)) return EXIT.done;
  if (given.output === "name") for (const { name } of entries) out(safeName(name));
  else for (const line of table(entries, ENTRY_COLUMNS, { paint })) out(line);
  return EXIT.done;
}
