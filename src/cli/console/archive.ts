import type { Entry } from "../../wire/entry.ts";
import { CommandProblem } from "../frame/problem.ts";
import { padding, TAR_END, tarHeader } from "./tar.ts";

/** What an archive is made from. */
export interface ArchiveSource {
  entries(path: string): AsyncIterable<Entry>;
  read(path: string): AsyncIterable<Uint8Array>;
}

/** A folder as a tar, with its files and folders below `name`. Links and special files are left out: restore brings them back. */
export async function* archive(
  source: ArchiveSource,
  path: string,
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* below(source, path, name);
  yield TAR_END;
}

async function* below(
  source: ArchiveSource,
  path: string,
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const entry of source.entries(path)) {
    const from = path === "" ? ownName(entry) : `${path}/${ownName(entry)}`;
    const to = `${name}/${entry.name}`;
    const { type, size, mode, modifiedAt, owner } = entry;
    if (type !== "File" && type !== "Folder") continue;
    yield tarHeader({ path: to, type, size, mode, modifiedAt, ...(owner ? { owner } : {}) });
    if (type === "Folder") {
      yield* below(source, from, to);
      continue;
    }
    let read = 0;
    for await (const chunk of source.read(from)) {
      read += chunk.length;
      yield chunk;
    }
    // The header has said how long it is: another length would make everything after it unreadable.
    if (read !== size) throw new CommandProblem(`${from} has ${read} bytes, and the snapshot says ${size}`);
    yield padding(size);
  }
}

/** A name from a repository must not lead out of the folder. */
function ownName({ name }: Entry): string {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name))
    throw new CommandProblem(`the snapshot holds the name ${JSON.stringify(name)}, which is not fetched`);
  return name;
}
