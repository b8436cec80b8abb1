import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { ContainerLog, type LogRead } from "./container_log.ts";

describe("a container's log", () => {
  let folder: string;
  let clock: VirtualClock;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "log-"));
    clock = new VirtualClock("2026-01-01T00:00:00Z");
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const opened = (limit?: number) => {
    const log = new ContainerLog(join(folder, "log"), clock, limit);
    log.open();
    return log;
  };
  const read = async (
    log: ContainerLog,
    options: Partial<LogRead> = {},
    signal = new AbortController().signal,
  ) => {
    const chunks: Uint8Array[] = [];
    const wanted = { timestamps: false, follow: false, ...options };
    for await (const chunk of log.read(wanted, signal)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  test("gives back the bytes that went in, however they were cut", async () => {
    const text = fc.array(fc.constantFrom("a", "é", "\n", "\r", " ", "x".repeat(20_000)), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(60_000), { maxLength: 6 }), async (parts, cuts) => {
        rmSync(join(folder, "log"), { force: true });
        const bytes = Buffer.from(parts.join(""));
        const log = opened();
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        at.forEach((start, i) => {
          log.append(bytes.subarray(start, at[i + 1] ?? bytes.length));
        });
        log.close();
        expect(await read(log)).toBe(bytes.toString());
      }),
      { numRuns: 50 },
    );
  });

  test("has the time of each line", async () => {
    const log = opened();
    log.append(Buffer.from("one\n"));
    await clock.advance(1500);
    log.append(Buffer.from("two\n"));
    expect(await read(log, { timestamps: true })).toBe(
      "2026-01-01T00:00:00.000000000Z one\n2026-01-01T00:00:01.500000000Z two\n",
    );
    expect(await read(log, { since: clock.now() - 1000 })).toBe("two\n");
  });

  test.each([
    [0, ""],
    [1, "three"],
    [2, "two\nthree"],
    [9, "one\ntwo\nthree"],
  ])("shows its last %i lines, the unfinished one included", async (tailLines, expected) => {
    const log = opened();
    log.append(Buffer.from("one\ntwo\nthree"));
    log.close();
    expect(await read(log, { tailLines })).toBe(expected);
  });

  test("is followed until the container ends, over files that are put aside", async () => {
    const log = opened(200);
    log.append(Buffer.from("0\n"));
    const following = read(log, { follow: true });
    const numbers = Array.from({ length: 50 }, (_, i) => `${i + 1}\n`);
    for (const line of numbers) {
      log.append(Buffer.from(line));
      await new Promise(setImmediate);
    }
    log.close();
    expect(await following).toBe(["0\n", ...numbers].join(""));
    expect(readdirSync(folder).sort()).toEqual(["log", "log.old"]);
  });

  test("is followed until the reader goes", async () => {
    const log = opened();
    const reader = new AbortController();
    const following = read(log, { follow: true }, reader.signal);
    reader.abort(new Error("gone"));
    await expect(following).rejects.toThrow("gone");
  });

  test("goes on in the same file after a restart", async () => {
    const before = opened();
    before.append(Buffer.from("one\n"));
    before.close();
    const after = opened();
    after.append(Buffer.from("two\n"));
    expect(await read(after)).toBe("one\ntwo\n");
  });
});
