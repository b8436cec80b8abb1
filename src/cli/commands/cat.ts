import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Call } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { cleanPath } from "../session/clean_path.ts";
import { snapshotNamed, withRepository } from "../session/with_snapshot.ts";

/** The content of a file of a snapshot, byte by byte. */
export async function cat(call: Call): Promise<ExitCode> {
  const { given, signal, terminal } = call;
  const { backup, snapshot } = await snapshotNamed(call, given.word(0));
  const id = snapshot.kopiaSnapshotID;
  await withRepository(call, [backup], async (client) => {
    for await (const chunk of client.read(id, cleanPath(given.word(1)), { signal })) {
      // A stream that is full says so; anything else takes all at once.
      if (terminal.out.write(chunk) === false)
        await once(terminal.out as unknown as Writable, "drain", { signal });
    }
  });
  return EXIT.done;
}
