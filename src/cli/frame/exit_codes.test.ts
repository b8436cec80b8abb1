import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXIT } from "./exit_codes.ts";

test("the guide tells of every code, and of no other", () => {
  const guide = readFileSync("docs/guides/cli.md", "utf8");
  const [, table = ""] = /^\| it ends with \| when \|\n\| --- \| --- \|\n((?:\|.*\n)+)/m.exec(guide) ?? [];
  const told = [...table.matchAll(/^\| (\d+) \| \S.* \|$/gm)].map(([, code]) => Number(code));
  expect(told).toEqual(Object.values(EXIT));
});
