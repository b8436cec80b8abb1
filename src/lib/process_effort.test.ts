import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { effortOf } from "./process_effort.ts";

const FILES: Readonly<Record<string, string>> = {
  "/proc/7/stat": "7 (a (b) 9 9) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 1 0 100 1000 10\n",
  "/proc/7/io": "rchar: 4000\nwchar: 300\nsyscr: 5\nsyscw: 6\nread_bytes: 0\nwrite_bytes: 0\n",
};

function read(path: string): string {
  const text = FILES[path];
  if (text === undefined) throw new Error("ENOENT");
  return text;
}

test("a process's time and bytes are read, whatever its name", () => {
  expect(effortOf(7, read)).toEqual({ cpuMs: 3000, bytes: 4300 });
});

test("nothing is known of a process that is gone, or of which the system says something else", () => {
  expect(effortOf(8, read)).toBeUndefined();
  expect(effortOf(7, (path) => (path.endsWith("io") ? "" : read(path)))).toBeUndefined();
});

test.runIf(process.platform === "linux")("whoever reads a file has used something", () => {
  const before = effortOf(process.pid)?.bytes ?? Number.NaN;
  const { length } = readFileSync(import.meta.filename);
  expect((effortOf(process.pid)?.bytes ?? 0) - before).toBeGreaterThanOrEqual(length);
});
