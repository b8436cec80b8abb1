import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { holdFifo, readFifo } from "./fifo.ts";

const folder = mkdtempSync(join(tmpdir(), "fifo-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function newFifo(name: string): string {
  const path = join(folder, name);
  execFileSync("mkfifo", [path]);
  return path;
}

function reading(path: string) {
  const chunks: Uint8Array[] = [];
  const reader = readFifo(path, (chunk) => chunks.push(chunk));
  const all = reader.ended.then(() => Buffer.concat(chunks).toString());
  return { all, close: reader.close };
}

test("a reader gets everything, and ends with the last writer", async () => {
  const path = newFifo("plain");
  const [first, second] = [holdFifo(path), holdFifo(path)];
  writeSync(first.fd, "one ");
  const { all } = reading(path);
  first.close();
  writeSync(second.fd, "two");
  second.close();
  expect(await all).toBe("one two");
});

test("a pipe that is held keeps what is in it while nobody reads", async () => {
  const path = newFifo("held");
  const held = holdFifo(path);
  writeSync(held.fd, "kept");
  const gone = reading(path);
  gone.close();
  expect(await gone.all).toBe("");
  const { all } = reading(path);
  held.close();
  expect(await all).toBe("kept");
});
