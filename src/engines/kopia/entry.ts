import { isRecord } from "../../lib/json.ts";
import type { Entry } from "../../wire/entry.ts";
import { jsonObjects } from "../json_objects.ts";

/** How kopia begins to print a folder. */
const BEGINNING = Buffer.from('{"stream":"kopia:directory"');

/** What `kopia show` prints of a folder, as it comes. Throws what `otherwise` gives when it is none. */
export async function* readFolder(
  output: AsyncIterable<Uint8Array>,
  otherwise: () => Error,
): AsyncIterable<Entry> {
  for await (const value of jsonObjects(ofFolder(output, otherwise), 1)) {
    // Beside the entries there is a summary, which has no name.
    if (isRecord(value) && value.name !== undefined) yield parseEntry(value);
  }
}

export function byName(a: Entry, b: Entry): number {
  return a.name < b.name ? -1 : 1;
}

/** The same, once it is known to be of a folder. */
async function* ofFolder(
  output: AsyncIterable<Uint8Array>,
  otherwise: () => Error,
): AsyncIterable<Uint8Array> {
  let head: Buffer | undefined = Buffer.of();
  for await (const part of output) {
    if (head === undefined) {
      yield part;
      continue;
    }
    head = Buffer.concat([head, part]);
    if (head.length < BEGINNING.length) continue;
    if (!head.subarray(0, BEGINNING.length).equals(BEGINNING)) throw otherwise();
    yield head;
    head = undefined;
  }
  if (head !== undefined) throw otherwise();
}

const TYPES = { f: "File", d: "Folder", s: "Symlink" } as const;

function parseEntry(value: Readonly<Record<string, unknown>>): Entry {
  const { name, type, size, mode, mtime, uid, gid, summ, obj } = value;
  const below = isRecord(summ) ? summ.size : undefined;
  return {
    name: String(name),
    type: TYPES[type as keyof typeof TYPES] ?? "Other",
    size: Number(size ?? below ?? 0),
    mode: Number.parseInt(String(mode ?? "0"), 8),
    modifiedAt: String(mtime ?? ""),
    owner: { uid: Number(uid ?? 0), gid: Number(gid ?? 0) },
    ...(type === "d" && typeof obj === "string" ? { content: obj } : {}),
  };
}
