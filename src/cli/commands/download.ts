import { basename } from "node:path";
import { bytesText } from "../bytes_text.ts";
import { countText } from "../count_text.ts";
import { downloadTree } from "../files/download_tree.ts";
import { filesText } from "../files_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { cleanPath } from "../session/clean_path.ts";
import { snapshotNamed, withRepository } from "../session/with_snapshot.ts";

/** Fetches a file or folder of a snapshot onto this machine. */
export async function download(call: Call): Promise<ExitCode> {
  const { given, signal, out, progress } = call;
  const { backup, snapshot } = await snapshotNamed(call, given.word(0));
  const id = snapshot.kopiaSnapshotID;
  const path = cleanPath(given.word(1));
  const target = given.text("to") ?? (basename(path) || backup.metadata.name);
  const { files, bytes, left } = await withRepository(call, [backup], async (client) => {
    const source = {
      entries: (folder: string) => client.entries(id, folder, { signal }),
      read: (file: string) => client.read(id, file, { signal }),
    };
    const root = { name: "", type: "Folder", size: 0, mode: 0o755, modifiedAt: "" } as const;
    const entry = path === "" ? root : await client.entry(id, path, { signal });
    return downloadTree(entry, path, target, {
      source,
      force: given.flag("force"),
      random: call.random,
      onFile: (file, size) => progress.show(`  ${file} (${bytesText(size)})`),
    });
  });
  progress.clear();
  out(`${filesText(files)}, ${bytesText(bytes)}, in ${target}`);
  if (left > 0)
    out(
      `${countText(left, "link or special file was", "links and special files were")} left out: restore brings them back`,
    );
  return EXIT.done;
}
