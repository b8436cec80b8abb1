import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dashboardFiles } from "./dashboard_files.ts";

interface ShownPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: object;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly datasource: object }[];
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
}

const [[path = "", text = ""] = []] = [...dashboardFiles()];
const { panels, templating } = JSON.parse(text) as {
  readonly panels: readonly ShownPanel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
};
const shown = panels.filter(({ type }) => type !== "row");

test("the checked-in dashboard is what is described", async () => {
  expect(await readFile(join(import.meta.dirname, "../..", path), "utf8")).toBe(text);
});

test("rows ask the questions from the top down", () => {
  expect(panels.filter(({ type }) => type === "row").map(({ title }) => title)).toEqual([
    "Is everything protected?",
    "What is failing?",
    "How long does it take?",
    "What does it cost?",
  ]);
});

test("every panel has a unit, says what it shows, and asks the data source that is chosen", () => {
  expect(templating.list).toContainEqual(expect.objectContaining({ name: "datasource", type: "datasource" }));
  expect(shown.length).toBeGreaterThan(15);
  const source = { type: "prometheus", uid: "$datasource" };
  for (const { title, description, datasource, targets = [], fieldConfig } of shown) {
    expect(fieldConfig?.defaults.unit, title).toMatch(/^\w+$/);
    expect(description, title).toMatch(/^[A-Z].{9,}[^.]$/);
    expect(targets.length, title).toBeGreaterThan(0);
    for (const asked of [datasource, ...targets.map((target) => target.datasource)])
      expect(asked, title).toEqual(source);
    expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
  }
});

test("no panel lies over another, and each has an ID of its own", () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});
