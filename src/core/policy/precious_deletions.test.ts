import { expect, test } from "vitest";
import { preciousDeletions } from "./precious_deletions.ts";

const backup = (uid: string, going: boolean, ...volumes: string[]) => ({
  uid,
  going,
  volumes: volumes.length > 0 ? volumes : ["documents"],
});
const doubtful = (uid: string, going: boolean) => ({ ...backup(uid, going), doubtful: ["documents"] });
const many = (count: number, going: boolean) =>
  Array.from({ length: count }, (_, i) => backup(`${going ? "gone" : "kept"}${i}`, going));

test.each([
  ["one of many goes", [backup("a", true), ...many(10, false)], {}],
  ["half of them go", [...many(2, true), ...many(2, false)], {}],
  ["one of two goes", [backup("a", true), backup("b", false)], {}],
  ["none goes", many(3, false), {}],
  ["there are none", [], {}],
  ["the only one goes", [backup("a", true)], { a: "LastOfVolume" }],
  [
    "all of an ordinary history go",
    many(11, true),
    Object.fromEntries(many(11, true).map(({ uid }) => [uid, "LastOfVolume"])),
  ],
  [
    "more than half go",
    [...many(3, true), ...many(2, false)],
    { gone0: "MostOfAll", gone1: "MostOfAll", gone2: "MostOfAll" },
  ],
  [
    "the last one of a second volume goes",
    [backup("a", true, "documents", "photos"), ...many(5, false)],
    { a: "LastOfVolume" },
  ],
  [
    "the last good one goes, and one of the emptied volume stays",
    [backup("a", true), doubtful("empty", false)],
    { a: "LastOfVolume" },
  ],
  ["one of the emptied volume goes", [doubtful("empty", true), backup("a", false)], {}],
  ["one of several that hold a part goes", [doubtful("a", true), doubtful("b", false)], {}],
  ["the only one goes, which holds a part", [doubtful("a", true)], { a: "LastOfVolume" }],
])("where %s", (_, backups, wanted) => {
  expect(Object.fromEntries(preciousDeletions(backups))).toEqual(wanted);
});
