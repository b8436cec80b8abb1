import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tailOf } from "./log_tail.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("tailOf() returns the last lines of a log of any size", () => {
  const path = join(folder, "log");
  writeFileSync(path, Array.from({ length: 10_000 }, (_, i) => `line ${i}\n`).join(""));
  expect(tailOf(path, 2)).toBe("line 9998\nline 9999");
});

test("tailOf() says so when there is no log, or nothing in it", () => {
  expect(tailOf(join(folder, "missing"))).toBe("(no log)");
  writeFileSync(join(folder, "empty"), "");
  expect(tailOf(join(folder, "empty"))).toBe("(empty log)");
});
