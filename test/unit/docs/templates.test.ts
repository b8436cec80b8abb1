import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderGoTemplate } from "../../../src/core/policy/template.ts";
import { TEMPLATE_FUNCTIONS } from "../../../src/core/policy/template_functions.ts";
import { fencedBlocks } from "./fenced_blocks.ts";
import { pages, ROOT } from "./pages.ts";

/* The page of templates lists the functions that there are, and its examples do what it says. */

const page = readFileSync(join(ROOT, "docs/reference/templates.md"), "utf8");
const DATA = {
  Parameters: { bucket: "tenants", "my-key": "hyphened" },
  Users: ["ann", "bob"],
  Sizes: { b: 2, a: 1 },
};
// A line that is no example fails, too: all that is in such a block is rendered.
const examples = pages().flatMap(({ text }) =>
  fencedBlocks(text)
    .filter(({ language }) => language === "gotemplate")
    .flatMap((block) => block.text.replace(/\n$/, "").split("\n"))
    .map((line) => {
      const [template = "", result = "no result"] = line.split(" → ");
      return { template, result };
    }),
);

test("every function is listed once, and no other", () => {
  const [, table = ""] = page.split("## Functions");
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(listed.toSorted()).toEqual([...TEMPLATE_FUNCTIONS]);
});

test("every function has an example", () => {
  const called = new Set(examples.flatMap(({ template }) => template.match(/[A-Za-z]\w*/g) ?? []));
  expect(TEMPLATE_FUNCTIONS.filter((name) => !called.has(name))).toEqual([]);
});

test.each(examples)("$template", ({ template, result }) => {
  expect(renderGoTemplate(template, DATA)).toEqual({ ok: true, value: result });
});
