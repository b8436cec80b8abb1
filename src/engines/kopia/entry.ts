import { isRecord } from "../../lib/json.ts";
import type { Entry } from "../../wire/entry.ts";

/** What `kopia show` prints of a folder, by name; undefined when it is none. */
export function parseFolder(text: string): readonly Entry[] | undefined {
  const parsed: unknown = text.startsWith('{"stream":"kopia:directory"') ? JSON.parse(text) : undefined;
  if (!isRecord(parsed)) return undefined;
  const entries = Array.isArray(parsed.entries) ? parsed.entries : [];
  return entries
    .filter(isRecord)
    .map(parseEntry)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const TYPES = { f: "File", d: "Folder", s: "Symlink" } as const;

function parseEntry(value: Readonly<Record<string, unknown>>): Entry {
  const { name, type, size, mode, mtime, uid, gid, summ } = value;
  const below = isRecord(summ) ? summ.size : undefined;
  return {
    name: String(name),
    type: TYPES[type as keyof typeof TYPES] ?? "Other",
    size: Number(size ?? below ?? 0),
    mode: Number.parseInt(String(mode ?? "0"), 8),
    modifiedAt: String(mtime ?? ""),
    owner: { uid: Number(uid ?? 0), gid: Number(gid ?? 0) },
  };
}
