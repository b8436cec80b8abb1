import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../src/lib/json.ts";
import { timesShown } from "./times.ts";

/** How one test, or one step that counts as a test, ended. */
export interface Outcome {
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly ms: number;
  /** Why it failed, in a line: {@link whyOf} makes it. */
  readonly why?: string;
}

/** So much of a reason is shown that what is compared comes into view, and not only how the text begins. */
const MAX_WHY = 600;
/** A place in the code, as a stack names it. */
const STACK_LINE = /\n\s+at [^\n]*:\d+:\d+\)?(?=\n|$)/;

/**
 * Ends a suite: keeps its outcomes in HOLDFAST_RESULTS if set, shows where its time went and the summary, sets the exit
 * code.
 */
export function finish(suite: string, outcomes: readonly Outcome[]): void {
  const folder = process.env.HOLDFAST_RESULTS;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(outcomesFile(folder, suite), JSON.stringify(outcomes));
  }
  const times = timesShown(suite);
  if (times) console.log(times);
  showSummary(outcomes);
}

/** Shows the summary and sets the exit code. */
export function showSummary(outcomes: readonly Outcome[]): void {
  console.log(summary(outcomes));
  process.exitCode = isGood(outcomes) ? 0 : 1;
}

/**
 * The outcomes that a suite left in a folder, told how its process ended. One that ended badly without a failed
 * outcome, or left none at all, never got that far: that counts as a failed test.
 */
export function suiteOutcomes(folder: string, suite: string, exitCode: number): readonly Outcome[] {
  const file = outcomesFile(folder, suite);
  const outcomes: Outcome[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  if (outcomes.some(({ state }) => state === "failed")) return outcomes;
  if (exitCode === 0 && outcomes.length > 0) return outcomes;
  return [
    ...outcomes,
    { name: `${suite}: ended with ${exitCode} before its results`, state: "failed", ms: 0 },
  ];
}

function outcomesFile(folder: string, suite: string): string {
  return join(folder, `${suite.replaceAll(":", "-")}.json`);
}

/**
 * The outcomes in a report of vitest's JSON reporter. A file that could not be loaded, a report that was not
 * written and a run that failed although each test passed all count as a failed test: none may go unseen.
 */
export function vitestOutcomes(report: unknown, exitCode: number): readonly Outcome[] {
  const files = isRecord(report) && Array.isArray(report.testResults) ? report.testResults : [];
  const outcomes = files.filter(isRecord).flatMap(fileOutcomes);
  if (exitCode === 0 || outcomes.some(({ state }) => state === "failed")) return outcomes;
  return [...outcomes, { name: `vitest: exited with ${exitCode}`, state: "failed", ms: 0 }];
}

function fileOutcomes(file: Record<string, unknown>): readonly Outcome[] {
  const tests = Array.isArray(file.assertionResults) ? file.assertionResults.filter(isRecord) : [];
  const outcomes = tests.map((test): Outcome => {
    const [failure] = Array.isArray(test.failureMessages) ? test.failureMessages : [];
    return {
      name: String(test.fullName),
      state: test.status === "passed" || test.status === "failed" ? test.status : "skipped",
      ms: typeof test.duration === "number" ? test.duration : 0,
      ...(typeof failure === "string" ? { why: whyOf(failure) } : {}),
    };
  });
  if (file.status !== "failed" || outcomes.some(({ state }) => state === "failed")) return outcomes;
  return [...outcomes, { name: `${file.name}, as a whole`, state: "failed", ms: 0 }];
}

/** What an error says, before its stack, in one line and bounded. */
export function whyOf(text: string): string {
  const [said = ""] = text.split(STACK_LINE, 1);
  const line = said.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_WHY ? `${line.slice(0, MAX_WHY)}…` : line;
}

/** What a run ends with: the failed tests, the ten slowest, and how many passed and failed. */
export function summary(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter(({ state }) => state === "failed");
  const passed = outcomes.filter(({ state }) => state === "passed");
  const slowest = outcomes.toSorted((a, b) => b.ms - a.ms).slice(0, 10);
  return [
    ...(failed.length > 0
      ? ["failed:", ...failed.map(({ name, why }) => `  ${name}${why ? `\n    ${why}` : ""}`)]
      : []),
    ...(slowest.length > 0
      ? ["slowest:", ...slowest.map(({ name, ms }) => `  ${seconds(ms)}  ${name}`)]
      : []),
    `${passed.length} passed, ${failed.length} failed`,
  ].join("\n");
}

/** Whether something passed and nothing failed. */
export function isGood(outcomes: readonly Outcome[]): boolean {
  return (
    outcomes.some(({ state }) => state === "passed") && outcomes.every(({ state }) => state !== "failed")
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2).padStart(7)} s`;
}
