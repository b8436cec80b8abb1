import { expect, test } from "vitest";
import { changesOf } from "./data_run.ts";

test.each([
  ["all were taken over", 3, 3, { new: 0, modified: 0, unchanged: 3 }],
  ["some are new or changed", 3, 1, { unchanged: 1 }],
  ["the volume is empty", 0, 0, { new: 0, modified: 0, unchanged: 0 }],
  ["kopia does not say how many there are", undefined, 2, { unchanged: 2 }],
])("what changed, where %s", (_, files, unchanged, changes) => {
  expect(changesOf(files, unchanged)).toEqual(changes);
});
