import { expect, test } from "vitest";
import { filesText } from "./files_text.ts";

test("one file is not several", () => {
  expect([0, 1, 2].map(filesText)).toEqual(["0 files", "1 file", "2 files"]);
});
