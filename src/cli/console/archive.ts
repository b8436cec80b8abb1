import type { Entry } from "../../wire/entry.ts";
import { allOf } from "../files/all_of.ts";
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

/** Of the files that come next, so many are read at once, as long as each is small: every question takes its time. */
const AHEAD = 8;
const SMALL = 2 ** 20;

interface Next {
  readonly entry: Entry;
  /** Of a small file: all of it. */
  readonly content?: Promise<Uint8Array>;
}

async function* below(
  source: ArchiveSource,
  path: string,
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pathOf = (entry: Entry) => (path === "" ? ownName(entry) : `${path}/${ownName(entry)}`);
  const waiting: Next[] = [];
  async function* written({ entry, content }: Next): AsyncGenerator<Uint8Array, void, undefined> {
    const [from, to] = [pathOf(entry), `${name}/${entry.name}`];
    const { type, size, mode, modifiedAt, owner } = entry;
    if (type !== "File" && type !== "Folder") return;
    yield tarHeader({ path: to, type, size, mode, modifiedAt, ...(owner ? { owner } : {}) });
    if (type === "Folder") {
      yield* below(source, from, to);
      return;
    }
    let read = 0;
    for await (const chunk of content ? [await content] : source.read(from)) {
      read += chunk.length;
      yield chunk;
    }
    // The header has said how long it is: another length would make everything after it unreadable.
    if (read !== size) throw new CommandProblem(`${from} has ${read} bytes, and the snapshot says ${size}`);
    yield padding(size);
  }
  for await (const entry of source.entries(path)) {
    const content =
      entry.type === "File" && entry.size <= SMALL ? whole(source.read(pathOf(entry))) : undefined;
    // Whoever comes to it is told.
    content?.catch(() => {});
    waiting.push({ entry, ...(content ? { content } : {}) });
    const next = waiting.length >= AHEAD ? waiting.shift() : undefined;
    if (next) yield* written(next);
  }
  for (const next of waiting) yield* written(next);
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await allOf(bytes));
}

/** A name from a repository must not lead out of the folder. */
function ownName({ name }: Entry): string {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name))
    throw new CommandProblem(`the snapshot holds the name ${JSON.stringify(name)}, which is not fetched`);
  return name;
}
