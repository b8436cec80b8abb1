import type { Entry } from "../../wire/entry.ts";

/** One file or folder of an archive. */
export interface TarEntry {
  /** Relative, with slashes. */
  readonly path: string;
  readonly type: "File" | "Folder";
  readonly size: number;
  readonly mode: number;
  readonly modifiedAt: string;
  readonly owner?: Entry["owner"];
}

const BLOCK = 512;
/** What the fields of the old header can say. */
const MOST_NAME = 100;
const MOST_SIZE = 8 ** 11;
const MOST_ID = 8 ** 7;

/** The header of an entry, with a header of the newer form before it where the old one cannot say it all. */
export function tarHeader(entry: TarEntry): Uint8Array {
  const { type, size, modifiedAt, owner } = entry;
  const path = type === "Folder" ? `${entry.path}/` : entry.path;
  const time = Date.parse(modifiedAt);
  const seconds = Number.isNaN(time) ? 0 : Math.max(0, Math.floor(time / 1000));
  const records = [
    ...(isPlain(path) ? [] : [record("path", path)]),
    ...(size >= MOST_SIZE ? [record("size", String(size))] : []),
    ...(fraction(modifiedAt) ? [record("mtime", `${seconds}.${fraction(modifiedAt)}`)] : []),
    ...((owner?.uid ?? 0) >= MOST_ID ? [record("uid", String(owner?.uid))] : []),
    ...((owner?.gid ?? 0) >= MOST_ID ? [record("gid", String(owner?.gid))] : []),
  ];
  const own = block({
    name: isPlain(path) ? path : cut(path),
    mode: entry.mode & 0o7777,
    uid: owner?.uid ?? 0,
    gid: owner?.gid ?? 0,
    size: type === "Folder" ? 0 : size,
    seconds,
    flag: type === "Folder" ? "5" : "0",
  });
  if (records.length === 0) return own;
  const extra = Buffer.concat(records);
  const head = block({ name: "pax", mode: 0o644, uid: 0, gid: 0, size: extra.length, seconds, flag: "x" });
  return Buffer.concat([head, extra, padding(extra.length), own]);
}

/** What fills the last block of a content. */
export function padding(size: number): Uint8Array {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** The end of an archive. */
export const TAR_END: Uint8Array = Buffer.alloc(2 * BLOCK);

interface Fields {
  readonly name: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly seconds: number;
  readonly flag: string;
}

function block({ name, mode, uid, gid, size, seconds, flag }: Fields): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, MOST_NAME, "utf8");
  header.write(octal(mode, 8), 100);
  header.write(octal(uid < MOST_ID ? uid : 0, 8), 108);
  header.write(octal(gid < MOST_ID ? gid : 0, 8), 116);
  header.write(octal(size < MOST_SIZE ? size : 0, 12), 124);
  header.write(octal(seconds, 12), 136);
  header.write("        ", 148);
  header.write(flag, 156);
  header.write("ustar\0" + "00", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}

/** `<length> <key>=<value>\n`, where the length counts itself. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function isPlain(path: string): boolean {
  return /^[\x20-\x7e]*$/.test(path) && path.length <= MOST_NAME;
}

/** For programs that read no newer form. */
function cut(path: string): string {
  return path.replaceAll(/[^\x20-\x7e]/g, "_").slice(-MOST_NAME);
}

function fraction(modifiedAt: string): string {
  return (/\.(\d+)/.exec(modifiedAt)?.[1] ?? "").replace(/0+$/, "");
}
