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

/**
 * Of the files that come next, so many are read at once, as long as each is small: every question takes its time. Nothing
 * behind a folder is read before that is written, so that they are the only ones however deep it goes.
 */
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
  async function* written(least: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let next = waiting[0]; next && waiting.length >= least; next = waiting[0]) {
      waiting.shift();
      yield* file(source, next, { from: pathOf(next.entry), to: `${name}/${next.entry.name}` });
    }
  }
  for await (const entry of source.entries(path)) {
    const from = pathOf(entry);
    if (entry.type === "File") {
      const content = entry.size <= SMALL ? whole(source.read(from)) : undefined;
      // Whoever comes to it is told.
      content?.catch(() => {});
      waiting.push({ entry, ...(content ? { content } : {}) });
      yield* written(AHEAD);
    } else if (entry.type === "Folder") {
      yield* written(1);
      const to = `${name}/${entry.name}`;
      yield tarHeader(headerOf(entry, to));
      yield* below(source, from, to);
    }
  }
  yield* written(1);
}

async function* file(
  source: ArchiveSource,
  { entry, content }: Next,
  { from, to }: { readonly from: string; readonly to: string },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { size } = entry;
  yield tarHeader(headerOf(entry, to));
  let read = 0;
  for await (const chunk of content ? [await content] : source.read(from)) {
    read += chunk.length;
    yield chunk;
  }
  // The header has said how long it is: another length would make everything after it unreadable.
  if (read !== size) throw new CommandProblem(`${from} has ${read} bytes, and the snapshot says ${size}`);
  yield padding(size);
}

function headerOf({ type, size, mode, modifiedAt, owner }: Entry, path: string) {
  return { path, type: type as "File" | "Folder", size, mode, modifiedAt, ...(owner ? { owner } : {}) };
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
