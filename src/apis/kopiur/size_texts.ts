import { bytesText } from "../../lib/bytes_text.ts";

/** Where statuses count bytes that a column shows, and the text beside it: columns can only show what a field holds. */
const SHOWN = [
  { part: "stats", bytes: "sizeBytes", text: "size" },
  { part: "progress", bytes: "bytesRestored", text: "restored" },
  { part: "quick", bytes: "lastContentReclaimedBytes", text: "lastContentReclaimed" },
  { part: "full", bytes: "lastContentReclaimedBytes", text: "lastContentReclaimed" },
] as const;

type Part = Readonly<Record<string, unknown>>;

/** A status with its sizes also as people read them. A text goes when the number that it stands for does. */
export function withSizeTexts<S extends object>(status: S): S {
  const parts = status as Readonly<Record<string, Part | undefined>>;
  const shown = SHOWN.flatMap(({ part, bytes, text }) => {
    const { [text]: before, ...kept } = parts[part] ?? {};
    const count = kept[bytes];
    if (typeof count === "number") return [[part, { ...kept, [text]: bytesText(count) }]];
    return before === undefined ? [] : [[part, kept]];
  });
  return { ...status, ...Object.fromEntries(shown) };
}
