import { isRecord } from "../../lib/json.ts";
import type { Entry } from "../../wire/entry.ts";

/** A file, folder or other entry of a snapshot, as restic tells of it. */
export interface ResticNode {
  readonly name: string;
  readonly type: string;
  /** Permission bits, with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** RFC 3339, to the nanosecond. */
  readonly mtime: string;
  /** Values in base64, by name. */
  readonly xattrs: Readonly<Record<string, string>>;
}

/** Where Go keeps the three special bits of a file's mode. */
const SPECIAL_BITS = [
  [1 << 23, 0o4000],
  [1 << 22, 0o2000],
  [1 << 20, 0o1000],
] as const;

/** Undefined for what is not a node, such as the first line of `restic ls`. */
export function parseNode(value: unknown): ResticNode | undefined {
  if (!isRecord(value) || typeof value.name !== "string" || typeof value.type !== "string") return undefined;
  const mode = numberOr(value.mode, 0);
  const special = SPECIAL_BITS.reduce((bits, [go, unix]) => bits | (mode & go ? unix : 0), 0);
  return {
    name: value.name,
    type: value.type,
    mode: (mode & 0o777) | special,
    uid: numberOr(value.uid, 0),
    gid: numberOr(value.gid, 0),
    size: numberOr(value.size, 0),
    mtime: typeof value.mtime === "string" ? value.mtime : "1970-01-01T00:00:00Z",
    xattrs: parseXattrs(value.extended_attributes),
  };
}

/** The node as the port shows it. */
export function entryOf(node: ResticNode): Entry {
  const types: Readonly<Record<string, Entry["type"]>> = { file: "File", dir: "Folder", symlink: "Symlink" };
  return {
    name: node.name,
    type: types[node.type] ?? "Other",
    size: node.size,
    mode: node.mode,
    modifiedAt: node.mtime,
    owner: { uid: node.uid, gid: node.gid },
  };
}

function parseXattrs(value: unknown): Record<string, string> {
  if (!Array.isArray(value)) return {};
  return Object.fromEntries(
    value.flatMap((item: unknown) =>
      isRecord(item) && typeof item.name === "string"
        ? [[item.name, typeof item.value === "string" ? item.value : ""]]
        : [],
    ),
  );
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
