import type { Entry } from "../../wire/entry.ts";

/** How one path differs between two snapshots. */
export interface Difference {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** What is different, for what is on both sides. */
  readonly what?: readonly string[];
  readonly before?: Entry;
  readonly after?: Entry;
}

/** Lists a folder of one of the two trees, by name. */
export type ListFolder = (path: string) => AsyncIterable<Entry>;

/** Compares two trees folder by folder, without reading a file. What is in a folder that only one side has is not named. */
export async function* treeDifferences(
  before: ListFolder,
  after: ListFolder,
  path = "",
): AsyncIterable<Difference> {
  const [left, right] = await Promise.all([byName(before(path)), byName(after(path))]);
  const names = [...new Set([...left.keys(), ...right.keys()])].toSorted();
  for (const name of names) {
    const [was, is] = [left.get(name), right.get(name)];
    const here = path === "" ? name : `${path}/${name}`;
    if (!was && is) yield { path: here, change: "added", after: is };
    else if (was && !is) yield { path: here, change: "removed", before: was };
    else if (was && is) {
      const what = changesOf(was, is);
      if (what.length > 0) yield { path: here, change: "changed", what, before: was, after: is };
      if (was.type === "Folder" && is.type === "Folder") yield* treeDifferences(before, after, here);
    }
  }
}

/** What is different about an entry. A folder's time and size follow from what is in it. */
export function changesOf(before: Entry, after: Entry): readonly string[] {
  if (before.type !== after.type) return ["type"];
  const folder = before.type === "Folder";
  return [
    ...(!folder && before.size !== after.size ? ["size"] : []),
    ...(!folder && Date.parse(before.modifiedAt) !== Date.parse(after.modifiedAt) ? ["time"] : []),
    ...(before.mode !== after.mode ? ["mode"] : []),
    ...(before.owner?.uid !== after.owner?.uid || before.owner?.gid !== after.owner?.gid ? ["owner"] : []),
  ];
}

async function byName(entries: AsyncIterable<Entry>): Promise<ReadonlyMap<string, Entry>> {
  const found = new Map<string, Entry>();
  for await (const entry of entries) found.set(entry.name, entry);
  return found;
}
