import type { Owner } from "./snapshot.ts";

/** A file, folder or link in a snapshot. */
export interface Entry {
  /** Bytes that are not UTF-8 are shown as U+FFFD. */
  readonly name: string;
  readonly type: "File" | "Folder" | "Symlink" | "Other";
  readonly size: number;
  /** Permission bits, with setuid, setgid and sticky. */
  readonly mode: number;
  /** ISO 8601, as exact as the engine keeps it. */
  readonly modifiedAt: string;
  readonly owner?: Owner;
  /** Folders with the same one hold the same, where the engine tells. */
  readonly content?: string;
}
