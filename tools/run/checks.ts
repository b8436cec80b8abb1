import { existsSync } from "node:fs";
import { type ChildEnd, runNode } from "./child.ts";
import type { Outcome } from "./results.ts";
import { runVitest } from "./vitest.ts";

/** A check, which counts as one test unless it brings outcomes of its own. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<ChildEnd & { readonly outcomes?: readonly Outcome[] }>;
}

/** The checks of the quick inner loop; `vitestArgs` narrow the unit tests down. */
export function quickChecks(vitestArgs: readonly string[]): readonly Check[] {
  return [
    { name: "types", run: () => runNode(["node_modules/typescript/bin/tsc", "--noEmit"]) },
    {
      name: "types of the console",
      run: () => runNode(["node_modules/typescript/bin/tsc", "--noEmit", "-p", "console"]),
    },
    { name: "lint", run: () => runNode(["node_modules/@biomejs/biome/bin/biome", "check"]) },
    { name: "unit tests", run: () => runVitest("unit", { args: vitestArgs }) },
  ];
}

/** Tests that start real programs on this machine: one project after the other, for they want the whole of it. */
export function programChecks(): readonly Check[] {
  return [
    { name: "tests with real programs", run: () => runVitest("machine") },
    { name: "tests of the engines", run: () => runVitest("engines") },
  ];
}

/** That the generated files are what would be generated now. */
export function driftChecks(): readonly Check[] {
  const generate = "tools/run/generate.ts";
  if (!existsSync(generate)) return [];
  return [{ name: "generated files", run: () => runNode([generate, "--check"]) }];
}

/** How often it is said that a check still runs, in milliseconds. */
const STILL = 60_000;

/** Runs the checks side by side, and shows each as it ends, with its output when it failed. */
export async function runChecks(checks: readonly Check[]): Promise<readonly Outcome[]> {
  const outcomes = await Promise.all(
    checks.map(async ({ name, run }): Promise<readonly Outcome[]> => {
      const begin = performance.now();
      const still = setInterval(() => {
        console.log(`${name} … ${((performance.now() - begin) / 1000).toFixed(0)} s so far`);
      }, STILL);
      const { exitCode, output, ms, outcomes } = await run().finally(() => clearInterval(still));
      console.log(`${name} … ${exitCode === 0 ? "" : "failed after "}${(ms / 1000).toFixed(1)} s`);
      if (exitCode !== 0) console.log(output);
      return outcomes ?? [{ name, state: exitCode === 0 ? "passed" : "failed", ms }];
    }),
  );
  return outcomes.flat();
}
