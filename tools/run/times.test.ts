import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type FileTime, timeLine, timesIn, timesShown, timesTable } from "./times.ts";

const slow: FileTime = { project: "machine", file: "a.test.ts", seconds: 61.25, processorSeconds: 7.04 };
const quick: FileTime = { project: "unit", file: "b.test.ts", seconds: 0.5, processorSeconds: 0.44 };
const ended: FileTime = { project: "engines", file: "c.test.ts", seconds: 12 };

test("the table has the slowest file first, and a dash where nobody knows what the processor did", () => {
  expect(timesTable([quick, ended, slow])).toBe(
    [
      "  seconds  processor  project  file",
      "     61.3        7.0  machine  a.test.ts",
      "     12.0          -  engines  c.test.ts",
      "      0.5        0.4  unit     b.test.ts",
    ].join("\n"),
  );
});

test("the table can be of the slowest alone", () => {
  expect(timesTable([quick, slow, ended], 1).split("\n")).toEqual([
    "  seconds  processor  project  file",
    "     61.3        7.0  machine  a.test.ts",
  ]);
});

test("what is kept is read again", () => {
  expect(timesIn([slow, ended].map(timeLine).join(""))).toEqual([slow, ended]);
});

test("a suite shows its twenty slowest files, and leaves all in the cache and nothing elsewhere", () => {
  const cache = mkdtempSync(join(tmpdir(), "times-"));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const folder = mkdtempSync(join(tmpdir(), "times-"));
  const many = Array.from({ length: 25 }, (_, at) => ({ ...quick, file: `${at}.test.ts`, seconds: at }));
  writeFileSync(join(folder, "times"), many.map(timeLine).join(""));
  const shown = timesShown("test:long", { HOLDFAST_TIMES: join(folder, "times"), HOLDFAST_CACHE: cache });
  const path = join(cache, "results/test-long-times.txt");
  expect(shown.split("\n")).toHaveLength(22);
  expect(shown).toContain(path);
  expect(readFileSync(path, "utf8")).toBe(`${timesTable(many)}\n`);
  expect(existsSync(folder)).toBe(false);
});

test("nothing is shown where nothing was kept", () => {
  expect(timesShown("test", {})).toBe("");
  expect(timesShown("test", { HOLDFAST_TIMES: "/nowhere" })).toBe("");
});
