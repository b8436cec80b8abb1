import { expect, test } from "vitest";
import type { Progress } from "../../wire/progress.ts";
import { Counters } from "./counters.ts";

function counted(...lines: readonly unknown[]): readonly Progress[] {
  const seen: Progress[] = [];
  const counters = new Counters({ printed: (progress) => void seen.push(progress) });
  for (const line of lines) counters.read(line);
  return seen;
}

test("adds up what restic counts, one sort of things after the other", () => {
  expect(
    counted(
      "[0:00] 50.00%  1 / 2 snapshots",
      "[0:00] 100.00%  2 / 2 snapshots",
      "finding data that is still in use",
      "[1:02:03] 25.00%  1 / 4 packs repacked",
      "[0:00]          7 index files loaded",
    ),
  ).toEqual([
    { files: 1, estimatedFiles: 2 },
    { files: 2, estimatedFiles: 2 },
    { files: 3, estimatedFiles: 6 },
    { files: 10, estimatedFiles: 13 },
  ]);
});

test.each([
  ["which are begun", "[0:00] 20.00%  1 / 5 packs copied", { files: 4, estimatedFiles: 8 }],
  ["which are done at once", "[0:00] 100.00%  5 / 5 packs copied", { files: 8, estimatedFiles: 8 }],
])("goes on from one snapshot's packs to those of the next, %s", (_, line, sum) => {
  expect(counted("[0:00] 100.00%  3 / 3 packs copied", line)).toEqual([{ files: 3, estimatedFiles: 3 }, sum]);
});

test("takes what has no end for one", () => {
  const lines = [1, 2, 3].map((n) => `[0:00]          ${n} index files loaded`);
  expect(counted(...lines).at(-1)).toEqual({ files: 3, estimatedFiles: 3 });
});

test("finds nothing in other lines", () => {
  expect(counted("total prune: 12 blobs / 3.250 MiB", { message_type: "status" }, "[x] 1 / 2 y", "")).toEqual(
    [],
  );
});
