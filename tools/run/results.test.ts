import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isGood, type Outcome, suiteOutcomes, summary, vitestOutcomes, whyOf } from "./results.ts";

const passed = (name: string, ms = 1): Outcome => ({ name, state: "passed", ms });
const failed = (name: string, ms = 1): Outcome => ({ name, state: "failed", ms });

describe("vitestOutcomes()", () => {
  const report = (status: string, tests: readonly object[]) => ({
    testResults: [{ name: "a.test.ts", status, assertionResults: tests }],
  });

  test("takes name, state and time of every test, and why it failed", () => {
    const tests = [
      { fullName: "one", status: "passed", duration: 5 },
      { fullName: "two", status: "failed", duration: 6, failureMessages: ["it was\n1\n    at a.ts:1:2"] },
      { fullName: "three", status: "pending" },
      { fullName: "four", status: "todo" },
    ];
    expect(vitestOutcomes(report("failed", tests), 1)).toEqual([
      passed("one", 5),
      { ...failed("two", 6), why: "it was 1" },
      { name: "three", state: "skipped", ms: 0 },
      { name: "four", state: "skipped", ms: 0 },
    ]);
  });

  test("counts a file that could not be loaded as a failed test", () => {
    expect(vitestOutcomes(report("failed", []), 1)).toEqual([failed("a.test.ts, as a whole", 0)]);
  });

  test("counts a run that failed although its tests passed as a failed test", () => {
    const tests = [{ fullName: "one", status: "passed", duration: 1 }];
    expect(vitestOutcomes(report("passed", tests), 1)).toEqual([
      passed("one"),
      failed("vitest: exited with 1", 0),
    ]);
  });

  test("counts a missing report of a failed run as a failed test", () => {
    expect(vitestOutcomes(undefined, 137)).toEqual([failed("vitest: exited with 137", 0)]);
  });
});

describe("suiteOutcomes()", () => {
  function folderWith(outcomes?: readonly Outcome[]): string {
    const folder = mkdtempSync(join(tmpdir(), "results-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    if (outcomes) writeFileSync(join(folder, "test-cluster.json"), JSON.stringify(outcomes));
    return folder;
  }

  test("are what the suite left", () => {
    expect(suiteOutcomes(folderWith([passed("a")]), "test:cluster", 0)).toEqual([passed("a")]);
    expect(suiteOutcomes(folderWith([failed("a")]), "test:cluster", 1)).toEqual([failed("a")]);
  });

  test.each([
    { left: undefined, exitCode: 0 },
    { left: undefined, exitCode: 1 },
    { left: [], exitCode: 0 },
    { left: [passed("a")], exitCode: 1 },
  ])("count a suite that left $left and ended with $exitCode as failed", ({ left, exitCode }) => {
    const outcomes = suiteOutcomes(folderWith(left), "test:cluster", exitCode);
    expect(outcomes.at(-1)).toEqual(failed(`test:cluster: ended with ${exitCode} before its results`, 0));
  });
});

describe("whyOf()", () => {
  test("is the whole message in one line, without the stack", () => {
    const message =
      'AssertionError: {\n  "phase": "Failed",\n  "at": "noon"\n}: expected undefined to be defined';
    const stack = "\n    at /project/a.ts:39:53\n    at async run (file:///project/b.ts:1:2)";
    const wanted = 'AssertionError: { "phase": "Failed", "at": "noon" }: expected undefined to be defined';
    expect(whyOf(message + stack)).toBe(wanted);
    expect(whyOf(message)).toBe(wanted);
  });

  test("is bounded", () => {
    expect(whyOf("x".repeat(600))).toBe("x".repeat(600));
    expect(whyOf("x".repeat(601))).toBe(`${"x".repeat(600)}…`);
  });
});

test("summary() names the failed, the ten slowest, and ends with the counts", () => {
  const outcomes = [
    ...Array.from({ length: 11 }, (_, i) => passed(`test ${i}`, i * 1000)),
    failed("bad", 500),
    { ...failed("worse", 500), why: "it was 1" },
  ];
  expect(summary(outcomes).split("\n")).toEqual([
    "failed:",
    "  bad",
    "  worse",
    "    it was 1",
    "slowest:",
    ...[10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((i) => `  ${`${i}.00`.padStart(7)} s  test ${i}`),
    "11 passed, 2 failed",
  ]);
});

test("summary() of nothing is a count of nothing", () => {
  expect(summary([])).toBe("0 passed, 0 failed");
});

test("isGood() wants at least one passed test and no failed one", () => {
  expect(isGood([passed("a"), { name: "b", state: "skipped", ms: 0 }])).toBe(true);
  expect(isGood([passed("a"), failed("b")])).toBe(false);
  expect(isGood([{ name: "b", state: "skipped", ms: 0 }])).toBe(false);
  expect(isGood([])).toBe(false);
});
