import { describe, expect, test } from "vitest";
import { isText, previewOf } from "./preview.ts";

describe("previewOf()", () => {
  test.each([
    [{ type: "File", name: "note.txt", size: 10 }, "text"],
    [{ type: "File", name: "Makefile", size: 10 }, "text"],
    [{ type: "File", name: "page.svg", size: 10 }, "text"],
    [{ type: "File", name: "page.html", size: 10 }, "text"],
    [{ type: "File", name: "me.JPG", size: 10 }, "picture"],
    [{ type: "File", name: "me.jpg", size: 3_000_000 }, "none"],
    [{ type: "File", name: "all.tar", size: 10 }, "none"],
    [{ type: "Folder", name: "letters", size: 0 }, "none"],
    [{ type: "Symlink", name: "letters", size: 0 }, "none"],
  ] as const)("of %j is %s", (entry, expected) => {
    expect(previewOf(entry).type).toBe(expected);
  });
});

test("text has no bytes of zero, and few that are not UTF-8", () => {
  expect(isText("Dear Anna,\nété")).toBe(true);
  expect(isText("")).toBe(true);
  expect(isText("PK\u0003\0\0")).toBe(false);
  expect(isText("\ufffd\ufffdab\ufffd")).toBe(false);
  expect(isText(`${"a".repeat(100)}\ufffd`)).toBe(true);
});
