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
  ["few of many", 3, 5, undefined],
  ["half of them", 4, 5, undefined],
  ["more than half", 5, 5, "MostOfAll"],
  ["none", 0, 1, undefined],
  ["one of two", 1, 1, "MostOfAll"],
])("where one goes after %s went one by one", (_, gone, left, wanted) => {
  const found = preciousDeletions([backup("a", true), ...many(left, false)], gone);
  expect(found.get("a")).toBe(wanted);
  expect(preciousDeletions(many(left, false), gone).size).toBe(0);
});

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
