import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ALERTS } from "../monitoring/alerts.ts";
import { alertsFiles } from "./alerts_files.ts";

test("the checked-in rules and page are those of the alerts", async () => {
  for (const [path, text] of alertsFiles())
    expect(await readFile(join(import.meta.dirname, "../..", path), "utf8"), path).toBe(text);
});

test("the rules and the page hold every alert", () => {
  const files = [...alertsFiles()];
  const page = files.find(([path]) => path.endsWith(".md"))?.[1] ?? "";
  const alertsIn = (part: string) =>
    files
      .filter(([path]) => path.startsWith(`charts/holdfast/files/${part}`))
      .map(([, text]) => parse(text) as { groups: readonly { rules: readonly { alert: string }[] }[] })
      .flatMap(({ groups }) => groups.flatMap((group) => group.rules.map(({ alert }) => alert)));
  const named = (optional: boolean) =>
    ALERTS.filter((alert) => (alert.optional !== undefined) === optional).map(({ name }) => name);
  expect([alertsIn("alerts.yaml"), alertsIn("optional-alerts/")]).toEqual([named(false), named(true)]);
  for (const { name, expr } of ALERTS) {
    expect(page).toContain(`| [${name}](../runbooks/${name}.md) |`);
    expect(page).toContain(expr);
  }
});

test("alerts have names of their own, which begin with the product's", () => {
  const names = ALERTS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^Holdfast[A-Z][A-Za-z]+$/);
});
