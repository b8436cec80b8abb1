import { expect, test } from "vitest";
import { all } from "../testing/ground.ts";
import { listedPaths } from "./listed_paths.ts";

async function pathsIn(text: string, size: number): Promise<readonly string[]> {
  async function* chunks() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return all(listedPaths(chunks(), "k1/data"));
}

test.each([1, 5, 1000])(
  "paths are below the root, whatever their names hold, in chunks of %d bytes",
  async (size) => {
    const text = "k1/data/a\r\nk1/data/två\nrader/\nk1/data/två\nrader/in\nk1/data/end\n\nk1/data/z\n";
    expect(await pathsIn(text, size)).toEqual(["a\r", "två\nrader/", "två\nrader/in", "end\n", "z"]);
  },
);

test("an empty folder has none", async () => {
  expect(await pathsIn("", 1)).toEqual([]);
});
