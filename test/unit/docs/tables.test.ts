import { describe, expect, test } from "vitest";
import { withoutBlocks } from "./fenced_blocks.ts";
import { pages } from "./pages.ts";

/** Runs of lines that begin with a bar. */
const ROWS = /^\|.*(?:\n\|.*)*/gm;
/** What stands between the names of the columns and the first row. */
const DASHES = /^\|(?: *:?-+:? *\|)+$/;

/** The first lines of tables that have no header, and so are shown as text. */
function brokenTables(page: string): readonly string[] {
  return [...withoutBlocks(page).matchAll(ROWS)]
    .map(([table]) => table.split("\n"))
    .filter(([, second = ""]) => !DASHES.test(second))
    .map(([first = ""]) => first);
}

describe("tables have a header", () => {
  test.each(pages())("in $path", ({ text }) => {
    expect(brokenTables(text)).toEqual([]);
  });

  test("one without is found", () => {
    expect(brokenTables("Text.\n\n| a | b |\n| c | d |\n\n| e |\n| --- |\n| f |\n")).toEqual(["| a | b |"]);
  });
});
