import { bytesText } from "../../lib/bytes_text.ts";
import type { Entry } from "../../wire/entry.ts";
import type { Column } from "../frame/table.ts";

const TYPES: Readonly<Record<Entry["type"], string>> = { File: "-", Folder: "d", Symlink: "l", Other: "?" };

/** Type and permissions in the way of ls: `drwxr-x---`. */
export function modeText({ type, mode }: Pick<Entry, "type" | "mode">): string {
  const bits = ["r", "w", "x", "r", "w", "x", "r", "w", "x"]
    .map((letter, index) => (mode & (1 << (8 - index)) ? letter : "-"))
    .join("");
  return TYPES[type] + bits;
}

/** A name that cannot write over the terminal that shows it. */
export function safeName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
  return name.replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

export const ENTRY_COLUMNS: readonly Column<Entry>[] = [
  { title: "MODE", cell: modeText },
  { title: "OWNER", cell: ({ owner }) => (owner ? `${owner.uid}:${owner.gid}` : "-") },
  { title: "SIZE", cell: ({ type, size }) => (type === "File" ? bytesText(size) : "-") },
  { title: "MODIFIED", cell: ({ modifiedAt }) => modifiedAt.slice(0, 19).replace("T", " ") },
  { title: "NAME", cell: ({ name, type }) => safeName(name) + (type === "Folder" ? "/" : "") },
];
