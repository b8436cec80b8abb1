import { expect, test } from "vitest";
import { pagesOf } from "./pages.ts";

test.each([
  [0, 20, [0]],
  [190, 199, [0]],
  [190, 200, [0, 200]],
  [49_990, 49_999, [49_800]],
  [-5, -1, [0]],
])("rows %d to %d are on the pages %j", (first, last, pages) => {
  expect(pagesOf(first, last)).toEqual(pages);
});
