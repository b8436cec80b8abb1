import { expect, test } from "vitest";
import { commandLine, yamlWords } from "./command_line.ts";

test.each([
  [["status"], undefined, true, "holdfast status -A"],
  [["backup", "now", "documents"], "home", false, "holdfast backup now documents -n home"],
  [["find", "documents", "*.txt"], "home", false, "holdfast find documents '*.txt' -n home"],
  [
    ["cat", "backup/a", "it's here; rm -rf $HOME"],
    "home",
    false,
    "holdfast cat backup/a 'it'\\''s here; rm -rf $HOME' -n home",
  ],
  [["version"], undefined, false, "holdfast version"],
])("%j in %s", (words, namespace, all, line) => {
  expect(commandLine(words, namespace, all)).toBe(line);
});

test("what is told in sentences alone has no YAML", () => {
  expect(yamlWords(["explain", "restore/a"])).toBeUndefined();
});
