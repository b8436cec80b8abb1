import { describe, expect, test } from "vitest";
import { joinTails, LogTail } from "./log_tail.ts";

const bytes = (lines: readonly string[]) => lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);

describe("LogTail", () => {
  test("keeps the last lines, and no empty ones", () => {
    const tail = new LogTail();
    for (let n = 1; n <= 60; n++) tail.add(`line ${n}\r\n`);
    tail.add("  ");
    expect(tail.lines).toHaveLength(40);
    expect(tail.lines[0]).toBe("line 21");
    expect(tail.lines.at(-1)).toBe("line 60");
  });

  test("stays within 4 KiB, cutting long lines between characters", () => {
    const tail = new LogTail();
    for (let n = 0; n < 40; n++) tail.add("ä😀".repeat(400));
    expect(bytes(tail.lines)).toBeLessThanOrEqual(4096);
    expect(tail.lines.length).toBeGreaterThanOrEqual(4);
    for (const line of tail.lines) {
      expect(line.endsWith("…")).toBe(true);
      expect(line.isWellFormed()).toBe(true);
    }
  });
});

describe("joinTails()", () => {
  test.each([
    [
      ["a", "b", "c"],
      ["b", "c", "d"],
      ["a", "b", "c", "d"],
    ],
    [["a", "b"], ["c"], ["a", "b", "c"]],
    [["a", "b"], [], ["a", "b"]],
    [[], ["a"], ["a"]],
    [
      ["a", "a"],
      ["a", "a", "b"],
      ["a", "a", "b"],
    ],
    [
      ["a", "b"],
      ["a", "b"],
      ["a", "b"],
    ],
  ])("of %j and %j is %j", (first, second, joined) => {
    expect(joinTails(first, second)).toEqual(joined);
  });

  test("is bounded like any tail", () => {
    const many = (from: number) => Array.from({ length: 40 }, (_, n) => `line ${from + n}`);
    expect(joinTails(many(0), many(10))).toEqual(many(10));
  });
});
