import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { parse } from "../../src/cli/frame/parse.ts";
import { CONDITIONS } from "../../src/core/reconcile/condition_types.ts";
import { REASONS } from "../../src/core/reconcile/reasons.ts";
import * as phasesOfPlans from "../../src/kinds/cozystack/phases.ts";
import { KINDS } from "../../src/kinds/kopiur/kinds.ts";
import * as phases from "../../src/kinds/kopiur/phases.ts";
import { resourceName } from "../../src/kube/resource.ts";
import { ERROR_CLASSES } from "../../src/wire/error_classes.ts";
import { ALERTS } from "./alerts.ts";

const FOLDER = join(import.meta.dirname, "../../docs/runbooks");
const names = ALERTS.map(({ name }) => name);
const read = (name: string) => readFileSync(join(FOLDER, `${name}.md`), "utf8");

/** What an object or a pod may say, in one word. */
const SAID = new Set<string>([
  ...Object.keys(ERROR_CLASSES),
  ...Object.values(CONDITIONS),
  ...Object.values(REASONS),
  ...Object.values(phases).flat(),
  ...Object.values(phasesOfPlans).flat(),
  ...["RepositoryNotReady", "Delete", "HookFailed", "OOMKilled"],
  ...["SourceShrank", "RepeatedFailures", "InvalidTimezone", "NodeSilent", "NodeUnknown"],
]);

test("every alert has a runbook, and every runbook an alert", () => {
  const found = readdirSync(FOLDER).map((file) => file.replace(/\.md$/, ""));
  expect(found.toSorted()).toEqual(["README", ...names].toSorted());
});

test("the list of runbooks leads to each", () => {
  const linked = [...read("README").matchAll(/^\| \[(\w+)\]\((\w+)\.md\)/gm)];
  expect(linked.map(([, title, file]) => [title, file])).toEqual(names.map((name) => [name, name]));
});

test("what an alert tells to begin with is a command", () => {
  const told = ALERTS.flatMap(({ description }) => /Begin with: holdfast (.*)$/.exec(description)?.[1] ?? []);
  expect(told.length).toBeGreaterThan(3);
  for (const line of told) {
    const words = line.replaceAll(/\{\{[^}]*\}\}/g, "x").split(" ");
    expect(parse(words, COMMANDS), line).toHaveProperty("command");
  }
});

describe.each(names)("the runbook of %s", (name) => {
  const text = read(name);

  test("says what it means, what to look at, what to do, and when it ends", () => {
    expect(text.match(/^#+ .*$/gm)).toEqual([
      `# ${name}`,
      "## Look first",
      "## What to do",
      "## When it ends",
    ]);
  });

  test("begins with commands", () => {
    expect(text).toMatch(/## Look first\n\n(.+\n\n)?```sh\n(holdfast|kubectl) /);
  });

  test("names kinds in full, and words that something says", () => {
    const kinds = [...text.matchAll(/\w+\.kopiur\.home-operations\.com(?!\/)/g)].map(([kind]) => kind);
    expect(KINDS.map(({ resource }) => resourceName(resource))).toEqual(expect.arrayContaining(kinds));
    const words = [...text.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, word = ""]) => word);
    expect(words.filter((word) => !SAID.has(word))).toEqual([]);
  });
});
