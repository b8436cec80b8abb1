import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildEnd, type ChildOptions, runNode } from "./child.ts";
import { type Outcome, vitestOutcomes } from "./results.ts";

export interface VitestOptions extends ChildOptions {
  /** More arguments for vitest, such as the files to run. Default none: all of the project. */
  readonly args?: readonly string[];
}

/** Runs a project of vitest.config.ts, and counts its tests. */
export async function runVitest(
  project: "unit" | "machine" | "engines" | "cluster" | "versions",
  { args = [], ...options }: VitestOptions = {},
): Promise<ChildEnd & { readonly outcomes: readonly Outcome[] }> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-vitest-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  try {
    const end = await runNode(
      ["node_modules/vitest/vitest.mjs", "run", "--project", project, ...reporters, ...args],
      options,
    );
    const written: unknown = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined;
    return { ...end, outcomes: vitestOutcomes(written, end.exitCode) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
