import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Processes } from "../lib/processes.ts";
import { openPage } from "./open_page.ts";

const ADDRESS = "http://127.0.0.1:4711/?token=5ec7e7";
const signal = new AbortController().signal;
let folder: string;
let done: AbortController;
let started: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "open-page-"));
  done = new AbortController();
  started = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const ending = (code: number): Pick<Processes, "run"> => ({
  run: async (command, args) => {
    started = [command, ...args];
    return { code, signal: null, stdout: Buffer.from(""), stderr: "" };
  },
});
const open = (code = 0) =>
  openPage(ADDRESS, { processes: ending(code), opener: "xdg-open", signal, done: done.signal, folder });

test("the browser is led to the address by a file that only its owner reads, and not by the program's words", async () => {
  const opened = open();
  await expect.poll(() => started.length).toBe(2);
  expect(started[0]).toBe("xdg-open");
  expect(started.join(" ")).not.toContain("5ec7e7");
  const file = fileURLToPath(started[1] ?? "");
  expect([statSync(file).mode & 0o777, statSync(join(file, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(readFileSync(file, "utf8")).toContain(`content="0;url=${ADDRESS}"`);
  done.abort();
  // The program may end with that.
  expect(readdirSync(folder)).toEqual([]);
  await opened;
});

test("nothing stays where nothing could be opened", async () => {
  await open(3);
  expect(readdirSync(folder)).toEqual([]);
});

test("nothing is opened that is of no use any more", async () => {
  done.abort();
  await open();
  expect([started, readdirSync(folder)]).toEqual([[], []]);
});
