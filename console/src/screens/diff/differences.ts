import type { Difference } from "../../../../src/cli/console/contract.ts";
import { modeText } from "../../../../src/cli/files/entry_text.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";

export type Change = Difference["change"];
export const CHANGES: readonly Change[] = ["added", "removed", "changed"];

export interface Summary {
  readonly counts: Readonly<Record<Change, number>>;
  /** Bytes that came with files, that went with files, and by which the others grew. */
  readonly added: number;
  readonly removed: number;
  readonly grown: number;
}

export function summaryOf(all: readonly Difference[]): Summary {
  const counts = { added: 0, removed: 0, changed: 0 };
  let [added, removed, grown] = [0, 0, 0];
  for (const one of all) {
    counts[one.change]++;
    if (one.change === "added") added += fileSize(one.after);
    else if (one.change === "removed") removed += fileSize(one.before);
    else grown += fileSize(one.after) - fileSize(one.before);
  }
  return { counts, added, removed, grown };
}

/** Those of some kinds of change whose path holds a text, whatever its case. */
export function filtered(
  all: readonly Difference[],
  { text, changes }: { readonly text: string; readonly changes: ReadonlySet<Change> },
): readonly Difference[] {
  const wanted = text.toLowerCase();
  return all.filter(({ path, change }) => changes.has(change) && path.toLowerCase().includes(wanted));
}

/** What of an entry is different, from what to what. */
export function whatText({ change, what = [], before, after }: Difference): string {
  if (change !== "changed" || !before || !after) return "";
  const texts: Readonly<Record<string, string>> = {
    type: `${before.type} is now a ${after.type}`,
    size: "content",
    time: "time",
    mode: `mode ${modeText(before)} → ${modeText(after)}`,
    owner: `owner ${ownerText(before)} → ${ownerText(after)}`,
  };
  return what.map((one) => texts[one] ?? one).join(", ");
}

/** How large it was, and is. */
export function sizeText({ change, what = [], before, after }: Difference): string {
  const [was, is] = [sizeOf(before), sizeOf(after)];
  if (change === "added") return is;
  if (change === "removed") return was;
  return what.includes("size") || what.includes("type") ? `${was} → ${is}` : is;
}

type Side = Difference["before"];

function ownerText({ owner }: NonNullable<Side>): string {
  return owner ? `${owner.uid}:${owner.gid}` : "unknown";
}

function sizeOf(entry: Side): string {
  return entry?.type === "File" ? bytesText(entry.size) : "–";
}

function fileSize(entry: Side): number {
  return entry?.type === "File" ? entry.size : 0;
}
