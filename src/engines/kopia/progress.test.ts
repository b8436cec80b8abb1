import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consoleLines, exactSize, parseProgress, parseSize } from "./progress.ts";

async function* chunks(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("parseProgress", () => {
  test("reads a snapshot's line while kopia still estimates", () => {
    const line = " | 1 hashing, 4 hashed (1.5 MB), 2 cached (6 B), uploaded 186 B, estimating...";
    expect(parseProgress(line)?.progress).toEqual({
      files: 6,
      bytes: 1_500_006,
      hashedBytes: 1_500_000,
      cachedBytes: 6,
      uploadedBytes: 186,
      errors: 0,
    });
  });

  test("reads errors, and leaves out what kopia guesses", () => {
    const line =
      " / 0 hashing, 4 hashed (1 KB), 0 cached (0 B), uploaded 2 KB (1 fatal errors) (2 errors ignored), estimated 10 KB (10.0%) 1m2s left";
    expect(parseProgress(line)).toEqual({
      progress: {
        files: 4,
        bytes: 1000,
        hashedBytes: 1000,
        cachedBytes: 0,
        uploadedBytes: 2000,
        errors: 3,
      },
      cachedFiles: 0,
      rest: "",
    });
  });

  test("reads a restore's line", () => {
    expect(parseProgress("Processed 5 (7 B) of 14 (70 B) 3.5 KB/s (10.0%) remaining 9s.")?.progress).toEqual({
      files: 5,
      bytes: 7,
      estimatedFiles: 14,
      estimatedBytes: 70,
      secondsRemaining: 9,
    });
  });

  test("reads the line of a check", () => {
    const line = "Processed 12 objects (1.5 MB). Read 3 files (1 MB).";
    expect(parseProgress(line)).toEqual({ progress: { files: 12, bytes: 1_500_000 }, rest: "" });
    const last = "Finished processing 12 objects (1.5 MB). Read 3 files (1 MB).";
    expect(parseProgress(last)).toEqual({ progress: { files: 12, bytes: 1_500_000 }, rest: last });
  });

  test("gives back what kopia says behind its progress", () => {
    const line = " * 0 hashing, 1 hashed (1 B), 0 cached (0 B), uploaded 0 B, estimating...flush error: full";
    expect(parseProgress(line)?.rest).toBe("flush error: full");
    expect(parseProgress("Processed 5 (7 B) of 4 (7 B).error restoring: x")?.rest).toBe("error restoring: x");
  });

  test("takes any other line for none", () => {
    fc.assert(fc.property(fc.string(), (line) => parseProgress(line) === undefined));
  });
});

test("parseSize reads decimal and binary units", () => {
  expect([parseSize("12 B"), parseSize("1.5 GB"), parseSize("2 MiB"), parseSize("?")]).toEqual([
    12, 1_500_000_000, 2_097_152, 0,
  ]);
});

test.each([
  ["200 KB", 200_020, 200_020],
  ["1.1 GB", 1_100_864_207, 1_100_864_207],
  ["1.1 GB", 1_149_000_000, 1_149_000_000],
  ["1.1 GB", 1_250_000_000, 1_100_000_000],
  ["12 B", 12, 12],
  [undefined, 0, 0],
])("exactSize takes %s for the known %i where that is what it rounds", (text, known, bytes) => {
  expect(exactSize(text, known)).toBe(bytes);
});

test("consoleLines splits at newlines and returns, wherever the chunks end", async () => {
  for (const size of [1, 2, 3, 100]) {
    const found: string[] = [];
    for await (const line of consoleLines(chunks("a\rä b\nc", size))) found.push(line);
    expect(found).toEqual(["a", "ä b", "c"]);
  }
});
