import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Bytes, or text that stands for its UTF-8. */
export type Bytes = string | Uint8Array;

/** What an entry of a tree is made of. The path is relative; empty means the root folder itself. */
export type TreeEntry = {
  readonly path: Bytes;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Nanoseconds since 1970. */
  readonly mtime?: bigint;
  readonly xattrs?: Readonly<Record<string, Bytes>>;
} & (
  | { readonly folder: Readonly<Record<string, never>> }
  | { readonly file: FileContent }
  | { readonly symlink: Bytes }
  | { readonly hardLink: Bytes }
  | { readonly fifo: Readonly<Record<string, never>> }
  | { readonly socket: Readonly<Record<string, never>> }
);

export type FileContent =
  | { readonly text: Bytes }
  | { readonly random: { readonly bytes: number; readonly seed: number } }
  | {
      readonly sparse: {
        readonly size: number;
        readonly pieces: readonly { readonly offset: number; readonly text: Bytes }[];
      };
    };

/** What is found on disk; the path's bytes that are not UTF-8 are written as `\xNN`. */
export interface FoundEntry {
  readonly path: string;
  readonly kind: string;
  readonly mode?: string;
  readonly uid: number;
  readonly gid: number;
  readonly mtime: string;
  readonly target?: string;
  readonly size?: number;
  readonly sha256?: string;
  readonly xattrs?: Readonly<Record<string, string>>;
  /** For a file of several names: the first of them. */
  readonly sameAs?: string;
  /** Bytes that it occupies on disk. */
  readonly allocated: number;
}

/** Makes a tree under `root`, which may exist. Times are set last, deepest first. */
export async function buildTree(root: string, entries: readonly TreeEntry[]): Promise<void> {
  await python(["build", root], entries.map((entry) => `${JSON.stringify(encoded(entry))}\n`).join(""));
}

/** Makes `count` small files, a thousand to a folder. */
export async function buildMany(root: string, count: number): Promise<void> {
  await python(["many", root, String(count)]);
}

/** Everything under `root`, the root first, sorted by path. */
export async function describeTree(root: string): Promise<readonly FoundEntry[]> {
  const lines = (await python(["describe", root])).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as FoundEntry);
}

/** Number of entries and one hash over all that {@link describeTree} would say, but for `allocated`. */
export async function digestTree(
  root: string,
): Promise<{ readonly entries: number; readonly sha256: string }> {
  return JSON.parse(await python(["digest", root]));
}

export interface ComparedFields {
  /** Fields of an entry that do not count. */
  readonly ignore?: readonly (keyof FoundEntry)[];
}

/** What differs between two descriptions, one sentence each; empty when they are the same. */
export function treeDifferences(
  wanted: readonly FoundEntry[],
  found: readonly FoundEntry[],
  { ignore = [] }: ComparedFields = {},
): readonly string[] {
  const skip = new Set<string>(["path", "allocated", ...ignore]);
  const left = new Map(wanted.map((entry) => [entry.path, entry]));
  const right = new Map(found.map((entry) => [entry.path, entry]));
  const missing = [...left.keys()].filter((path) => !right.has(path)).map((path) => `${path} is missing`);
  const extra = [...right.keys()].filter((path) => !left.has(path)).map((path) => `${path} is extra`);
  const changed = [...left].flatMap(([path, entry]) => {
    const other = right.get(path);
    return other === undefined ? [] : fieldDifferences(path, entry, other, skip);
  });
  return [...missing, ...extra, ...changed];
}

function fieldDifferences(
  path: string,
  wanted: FoundEntry,
  found: FoundEntry,
  skip: ReadonlySet<string>,
): readonly string[] {
  const before = Object.entries(wanted);
  const after = Object.entries(found);
  const names = new Set([...before, ...after].map(([name]) => name).filter((name) => !skip.has(name)));
  return [...names].flatMap((name) => {
    const a = JSON.stringify(Object.fromEntries(before)[name]);
    const b = JSON.stringify(Object.fromEntries(after)[name]);
    return a === b ? [] : [`${path}: ${name} is ${b}, not ${a}`];
  });
}

/** The part of a description below a folder, with paths from there; the folder itself is the new root. */
export function subtree(entries: readonly FoundEntry[], folder: string): readonly FoundEntry[] {
  const inside = (path: string) => path === folder || path.startsWith(`${folder}/`);
  const from = (path: string) => path.slice(folder.length + 1);
  return entries
    .filter(({ path }) => inside(path))
    .map(({ sameAs, ...entry }) => ({
      ...entry,
      path: from(entry.path),
      ...(sameAs === undefined ? {} : { sameAs: inside(sameAs) ? from(sameAs) : `outside: ${sameAs}` }),
    }));
}

function encoded(entry: TreeEntry): unknown {
  const { path, mtime, xattrs, ...rest } = entry;
  const base = {
    path: base64(path),
    ...(mtime === undefined ? {} : { mtime: String(mtime) }),
    ...(xattrs === undefined
      ? {}
      : { xattrs: Object.fromEntries(Object.entries(xattrs).map(([name, value]) => [name, base64(value)])) }),
  };
  if ("symlink" in rest) return { ...rest, ...base, symlink: base64(rest.symlink) };
  if ("hardLink" in rest) return { ...rest, ...base, hardLink: base64(rest.hardLink) };
  if ("file" in rest) return { ...rest, ...base, file: encodedContent(rest.file) };
  return { ...rest, ...base };
}

function encodedContent(content: FileContent): unknown {
  if ("text" in content) return { text: base64(content.text) };
  if ("random" in content) return content;
  const pieces = content.sparse.pieces.map(({ offset, text }) => ({ offset, text: base64(text) }));
  return { sparse: { size: content.sparse.size, pieces } };
}

const base64 = (bytes: Bytes) => Buffer.from(bytes as string).toString("base64");

/** The system's own, where there is one: what is first on PATH may be a script that looks for one each time. */
const PYTHON = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

function python(args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(PYTHON, [join(import.meta.dirname, "tree.py"), ...args]);
    const out: Buffer[] = [];
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`tree.py ${args.join(" ")} ended with ${code}: ${errors}`));
    });
    // One that ended before it read everything is judged by its code.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
