import { expect, test } from "vitest";
import { benchmarkPage, type Measured } from "./benchmark_page.ts";

const NAMES = ["kube", "mover", "cli"];

const run = (date: string, tables: Readonly<Record<string, string>>): Measured => ({
  tables: new Map(Object.entries(tables)),
  date,
  machine: "2 cores",
});

const whole = benchmarkPage("", NAMES, run("2026-01-01", { kube: "| 1 |", mover: "| 2 |", cli: "| 3 |" }));

test("a part says when and where it was measured", () => {
  expect(whole).toContain("\n## kube\n\nOn 2026-01-01: 2 cores.\n\n| 1 |\n");
  expect(whole.match(/^## .*/gm)).toEqual(["## kube", "## mover", "## cli"]);
});

test("a run of one part leaves the others as they were, each with its own date", () => {
  const page = benchmarkPage(whole, NAMES, run("2026-02-02", { mover: "| 4 |" }));
  const expected = whole.replace("On 2026-01-01: 2 cores.\n\n| 2 |", "On 2026-02-02: 2 cores.\n\n| 4 |");
  expect(page).toBe(expected);
});

test("a part that was never measured takes its place in the order, and what is no benchmark any more goes", () => {
  const page = benchmarkPage(whole, ["first", "kube", "cli"], run("2026-02-02", { first: "| 0 |" }));
  expect(page.match(/^## .*/gm)).toEqual(["## first", "## kube", "## cli"]);
  expect(page).toContain("On 2026-01-01: 2 cores.\n\n| 3 |\n");
});

test("a run that is written twice gives the same page", () => {
  expect(benchmarkPage(whole, NAMES, run("2026-02-02", {}))).toBe(whole);
});
