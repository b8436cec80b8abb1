import { lstat, mkdir, open, rename, unlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Random } from "../../lib/random.ts";
import type { Entry } from "../../wire/entry.ts";
import { CommandProblem } from "../frame/problem.ts";
import { allOf } from "./all_of.ts";

/** What a download reads from. */
export interface DownloadSource {
  entries(path: string): AsyncIterable<Entry>;
  read(path: string): AsyncIterable<Uint8Array>;
}

export interface DownloadOptions {
  readonly source: DownloadSource;
  /** Replace files that are there. */
  readonly force: boolean;
  readonly random: Random;
  /** So many bytes more of a file came in. */
  readonly onBytes: (path: string, more: number) => void;
  /** A file is whole, and in its place. */
  readonly onFile: (path: string, bytes: number) => void;
}

export interface Downloaded {
  readonly files: number;
  readonly bytes: number;
  /** Links and special files, which are not fetched. */
  readonly left: number;
}

const AT_ONCE = 4;

/** Fetches a file, or a folder with everything in it. Nothing that is there is replaced unless that is wanted. */
export async function downloadTree(
  entry: Entry,
  path: string,
  target: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  if (entry.type === "File")
    return { files: 1, bytes: await downloadFile(entry, path, target, options), left: 0 };
  if (entry.type !== "Folder") return { files: 0, bytes: 0, left: 1 };
  await mkdir(target, { recursive: true });
  const sum = { files: 0, bytes: 0, left: 0 };
  const below = (name: string) => (path === "" ? name : `${path}/${name}`);
  const fetch = async (child: Entry) => {
    const part = await downloadTree(child, below(child.name), join(target, ownName(child.name)), options);
    sum.files += part.files;
    sum.bytes += part.bytes;
    sum.left += part.left;
  };
  const children = await allOf(options.source.entries(path));
  const files = children.filter(({ type }) => type !== "Folder");
  // Each file is a question of its own to the engine, which mostly waits.
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let child = files.shift(); child; child = files.shift()) await fetch(child);
    }),
  );
  for (const child of children) if (child.type === "Folder") await fetch(child);
  return sum;
}

/** A name from a repository must not lead out of the folder. */
function ownName(name: string): string {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name))
    throw new CommandProblem(`the snapshot holds the name ${JSON.stringify(name)}, which is not fetched`);
  return name;
}

async function downloadFile(
  { modifiedAt }: Entry,
  path: string,
  target: string,
  { source, force, random, onBytes, onFile }: DownloadOptions,
): Promise<number> {
  const present = await lstat(target).catch(() => undefined);
  if (present && !force) {
    throw new CommandProblem(`${target} is there already`, {
      why: "What is there is not replaced.",
      fix: "Name another place with --to, or add --force.",
    });
  }
  // No file of the person's, nor another of this download, may have its name.
  const part = join(dirname(target), `.holdfast-${random.hex(16)}.part`);
  let bytes = 0;
  async function* counted(): AsyncIterable<Uint8Array> {
    for await (const chunk of source.read(path)) {
      bytes += chunk.length;
      onBytes(path, chunk.length);
      yield chunk;
    }
  }
  const file = await open(part, "wx", 0o600);
  try {
    await pipeline(counted(), file.createWriteStream());
    const time = new Date(modifiedAt);
    await utimes(part, time, time);
    await rename(part, target);
  } catch (error) {
    await unlink(part).catch(() => {});
    throw error;
  }
  onFile(path, bytes);
  return bytes;
}
