import { basename } from "node:path";
import type { SessionClient } from "../../core/work/session/session_client.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { countText } from "../count_text.ts";
import { downloadShown } from "../files/download_shown.ts";
import { filesText } from "../files_text.ts";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { cleanPath } from "../session/clean_path.ts";
import { type NamedSnapshot, snapshotNamed, withRepository } from "../session/with_snapshot.ts";

/** Fetches a file or folder of a snapshot onto this machine. */
export async function download(call: Call): Promise<ExitCode> {
  const named = await snapshotNamed(call, call.given.word(0));
  const lines = await withRepository(call, [named.backup], (client) => fetched(call, client, named));
  for (const line of lines) call.out(line);
  return EXIT.done;
}

/** Fetches what the command line names. Returns what there is to say of it. */
export async function fetched(
  call: Pick<Call, "given" | "progress" | "clock" | "random" | "signal">,
  client: Pick<SessionClient, "entry" | "entries" | "read">,
  { backup, snapshot }: NamedSnapshot,
): Promise<readonly string[]> {
  const { given, signal } = call;
  const id = snapshot.kopiaSnapshotID;
  const path = cleanPath(given.word(1));
  const target = given.text("to") ?? (basename(path) || backup.metadata.name);
  const size = snapshot.sizeBytes ?? 0;
  const root = { name: "", type: "Folder", size, mode: 0o755, modifiedAt: "" } as const;
  const entry = path === "" ? root : await client.entry(id, path, { signal });
  const wanted = { id, path, entry, target, force: given.flag("force") };
  const { files, bytes, left } = await downloadShown(call, client, wanted);
  return [
    `${filesText(files)}, ${bytesText(bytes)}, in ${target}`,
    ...(left > 0
      ? [
          `${countText(left, "link or special file was", "links and special files were")} left out: restore brings them back`,
        ]
      : []),
  ];
}
