import { expect, test } from "vitest";
import { DamagedEntries } from "./damaged_entries.ts";

const AT = "error processing u@h:/data@2026-11-16 10:00:00 UTC";
const LOST = ": object k2 is backed by missing blob p2";
const AWAY = ": error reading object: unable to get blob: connection refused";

function damagedIn(...lines: readonly string[]) {
  const damaged = new DamagedEntries();
  const taken = lines.filter((line) => damaged.take(line)).length;
  return { taken, found: damaged.found, paths: damaged.files.examples };
}

test.each<[string, readonly string[], readonly string[]]>([
  ["a file", [`${AT}/a${LOST}`], ["a"]],
  ["a name of two lines", [`${AT}/a name`, `of two lines${LOST}`], ["a name\nof two lines"]],
  [
    "two such names",
    [`${AT}/b`, `c${LOST}`, `${AT}/d`, "", `e${LOST}`, `${AT}/f${LOST}`],
    ["b\nc", "d\n\ne", "f"],
  ],
  ["a name whose end never comes", [`${AT}/b`, `${AT}/f${LOST}`], ["b", "f"]],
  ["a name whose end never comes at the end", [`${AT}/f${LOST}`, `${AT}/b`], ["f", "b"]],
])("%s is named in full", (_, lines, paths) => {
  expect(damagedIn(...lines)).toEqual({ taken: lines.length, found: true, paths });
});

test("what does not answer is not damaged, and nothing else is taken", () => {
  expect(damagedIn("Verifying 3 snapshots", `${AT}/a${AWAY}`, "encountered 1 errors")).toEqual({
    taken: 0,
    found: false,
    paths: [],
  });
});
