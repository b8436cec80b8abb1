import { expect, test } from "vitest";
import { yamlWords } from "../../../console/src/text/command_line.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { parse } from "../../../src/cli/frame/parse.ts";

/** What pages without an object of their own name. */
const PAGES = [
  ["status"],
  ["coverage"],
  ["doctor"],
  ...["schedules", "backups", "repositories"].map((kind) => ["list", kind]),
  ["diff", "backup/monday", "backup/tuesday"],
  ["restore", "backup/monday", "--into", "documents"],
  ["restore", "--undo"],
];

test.each(PAGES)("the command line for the YAML of %j %j is one that there is", (...words) => {
  const parsed = parse([...(yamlWords(words) ?? [])], COMMANDS);
  if ("help" in parsed) throw new Error("that is help");
  expect(parsed.given.text("output")).toBe("yaml");
  expect(parsed.given.flag("dry-run")).toBe(words[0] === "restore");
  // The pages of all namespaces.
  if (!["diff", "restore"].includes(words[0] ?? "")) parse([...words, "-A"], COMMANDS);
});
