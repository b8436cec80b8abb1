import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMANDS } from "./commands.ts";

test("the guide begins with every command, and with no other", () => {
  const guide = readFileSync("docs/guides/cli.md", "utf8");
  const [, table = ""] = /^\| command \| what it does \|\n\| --- \| --- \|\n((?:\|.*\n)+)/m.exec(guide) ?? [];
  const told = table.split("\n").flatMap((row) => {
    const [, names = ""] = row.split("|");
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  });
  expect(told.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
});
