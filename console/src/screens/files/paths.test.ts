import { describe, expect, test } from "vitest";
import { crumbs, isAskable, joined, nameOf, parentOf } from "./paths.ts";

describe("crumbs()", () => {
  test.each([
    ["", [["documents", ""]]],
    [
      "letters/2026/anna",
      [
        ["documents", ""],
        ["letters", "letters"],
        ["2026", "letters/2026"],
        ["anna", "letters/2026/anna"],
      ],
    ],
    [
      "/letters//./anna/",
      [
        ["documents", ""],
        ["letters", "letters"],
        ["anna", "letters/anna"],
      ],
    ],
    [
      "../../etc",
      [
        ["documents", ""],
        ["etc", "etc"],
      ],
    ],
  ])("lead from the root to %j, and never above it", (path, expected) => {
    expect(crumbs(path, "documents").map(({ name, path }) => [name, path])).toEqual(expected);
  });
});

test("a path has a parent and a name, and the root has itself", () => {
  expect([parentOf("a/b/c"), parentOf("a"), parentOf("")]).toEqual(["a/b", "", ""]);
  expect([nameOf("a/b/c.txt"), nameOf("")]).toEqual(["c.txt", ""]);
  expect([joined("", "a"), joined("a/b", "c")]).toEqual(["a", "a/b/c"]);
});

test("a name that lost bytes on the way cannot be asked for", () => {
  expect(isAskable("été.txt")).toBe(true);
  expect(isAskable("\ufffdt\ufffd.txt")).toBe(false);
});
