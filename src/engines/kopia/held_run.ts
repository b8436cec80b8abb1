import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { FullPipe } from "../../lib/full_pipe.ts";
import type { CommandOptions } from "./command.ts";
import type { KopiaRepository } from "./kopia_repository.ts";

/** How a run of kopia is kept from its work. */
export interface Hold extends Required<Pick<CommandOptions, "stdin" | "errors">> {
  /** It was never started, or has ended. */
  end(): void;
}

/**
 * Holds a `snapshot create` back when it has opened the repository, until `may` resolves. kopia says then which source
 * it takes a snapshot of, before it looks for earlier ones and for policies, and reads of the source. When `may` rejects,
 * and when this process dies, kopia is ended there. (A kopia that is told to say less would not wait.)
 */
export async function holdRun(
  { connection, fidelity }: KopiaRepository,
  may: Promise<void>,
  signal: AbortSignal,
): Promise<Hold> {
  const path = join(await mkdtemp(join(connection.folder, "hold-")), "errors");
  await fidelity.pipe(path, signal);
  const errors = new FullPipe(path);
  const stdin = (async function* (): AsyncIterable<Uint8Array> {
    try {
      await may;
      errors.letGo();
      // kopia does not read it.
      yield Buffer.of();
    } finally {
      errors.refuse();
    }
  })();
  return { stdin, errors, end: () => errors.refuse() };
}
