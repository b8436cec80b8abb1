import { expect, test } from "vitest";
import { withSizeTexts } from "./size_texts.ts";

test.each<[what: string, status: object, shown: object]>([
  ["a Backup", { stats: { sizeBytes: 7_251_993 } }, { stats: { sizeBytes: 7_251_993, size: "6.9 MiB" } }],
  [
    "a Restore that goes on",
    { progress: { bytesRestored: 2048, restored: "1.0 KiB" } },
    { progress: { bytesRestored: 2048, restored: "2.0 KiB" } },
  ],
  [
    "a Maintenance",
    { quick: { lastContentReclaimedBytes: 0 }, full: { lastContentReclaimed: "1 B", lastRunAt: "now" } },
    { quick: { lastContentReclaimedBytes: 0, lastContentReclaimed: "0 B" }, full: { lastRunAt: "now" } },
  ],
  [
    "the progress of a Backup",
    { progress: { bytes: 5, percent: 1 } },
    { progress: { bytes: 5, percent: 1 } },
  ],
  ["nothing", { phase: "Ready" }, { phase: "Ready" }],
])("sizes of %s have a text beside them", (_, status, shown) => {
  expect(withSizeTexts(status)).toEqual(shown);
  expect(withSizeTexts(withSizeTexts(status))).toEqual(shown);
});
