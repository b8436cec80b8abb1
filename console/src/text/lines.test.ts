import { expect, test } from "vitest";
import { linesOf } from "./lines.ts";

async function* of(...pieces: string[]) {
  yield* pieces;
}

test.each([
  [["a\nb\n"], ["a", "b"]],
  [
    ["a", "b\nc"],
    ["ab", "c"],
  ],
  [["\n\n", "a\n\n"], ["a"]],
  [[], []],
])("the lines of %j", async (pieces, expected) => {
  const lines: string[] = [];
  for await (const line of linesOf(of(...pieces))) lines.push(line);
  expect(lines).toEqual(expected);
});
