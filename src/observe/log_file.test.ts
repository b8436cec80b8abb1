import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LogFile } from "./log_file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-file-"));
  path = join(folder, "log");
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = (file: string) => readFileSync(file, "utf8");

test("lines follow those of an earlier process, for their owner's eyes only", () => {
  new LogFile({ path }).write("one\n");
  new LogFile({ path }).write("two\n");
  expect(text(path)).toBe("one\ntwo\n");
  expect(statSync(path).mode & 0o077).toBe(0);
});

test("a file that would grow beyond its limit is kept as the one before, and the one before that goes", () => {
  const log = new LogFile({ path, limit: 8 });
  for (const line of ["1\n", "22\n", "333\n", "4444\n", "a line beyond the limit\n", "6\n"]) log.write(line);
  expect(readdirSync(folder).sort()).toEqual(["log", "log.1"]);
  expect(text(`${path}.1`)).toBe("a line beyond the limit\n");
  expect(text(path)).toBe("6\n");
});

test("what an earlier process left counts towards the limit", () => {
  new LogFile({ path }).write("12345678\n");
  new LogFile({ path, limit: 10 }).write("9\n");
  expect([text(`${path}.1`), text(path)]).toEqual(["12345678\n", "9\n"]);
});

test("lines that cannot be written are lost, and the next one says how many", () => {
  const away = join(folder, "away", "log");
  const log = new LogFile({ path: away });
  log.write("one\n");
  log.write("two\n");
  mkdirSync(join(folder, "away"));
  log.write("three\n");
  log.write("four\n");
  expect(text(away)).toBe(
    '{"level":"warn","lost":2,"msg":"lines are missing here: they could not be written"}\nthree\nfour\n',
  );
});
