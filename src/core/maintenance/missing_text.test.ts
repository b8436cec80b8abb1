import { expect, test } from "vitest";
import { missingText } from "./missing_text.ts";

const hit = { snapshotID: "k1", identity: "app@shop:/data", files: 1 };
const LOST = "The storage has lost 2 packs of the repository.";

test.each([
  [{ packs: 2 }, `${LOST} The list of snapshots cannot be read.`],
  [{ packs: 2, snapshots: 0 }, `${LOST} No snapshot needs them so far.`],
  [
    { packs: 2, snapshots: 1, hit: [{ ...hit, startedAt: "2026-05-20T01:02:03Z" }] },
    `${LOST} 1 snapshot is not whole: app@shop:/data of 2026-05-20T01:02:03Z (1 file).`,
  ],
  [
    {
      packs: 2,
      snapshots: 9,
      unexamined: 40,
      hit: Array(6).fill({ ...hit, backup: "shop/b", examples: ["a"] }),
    },
    `${LOST} 9 snapshots are not whole: ${Array(3).fill("backup shop/b (1 file, such as a)").join(", ")}, and 6 others. 40 older snapshots could not be examined.`,
  ],
])("%j reads so", (missing, text) => {
  expect(missingText(missing)).toBe(text);
});
