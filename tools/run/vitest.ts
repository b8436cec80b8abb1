import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildEnd, type ChildOptions, runNode } from "./child.ts";
import { type Outcome, vitestOutcomes } from "./results.ts";

export interface VitestOptions extends ChildOptions {
  /** More arguments for vitest, such as the files to run. Default none: all of the project. */
  readonly args?: readonly string[];
}

type Project = "unit" | "machine" | "engines" | "images" | "cluster" | "versions";

/**
 * Whatever runs for so long hangs, in minutes: several times of what it takes on two cores. It is ended, and what ran is
 * told. The full matrix takes its time.
 */
const HANGS: Readonly<Record<Project, number>> = {
  unit: 15,
  machine: 45,
  engines: 30,
  images: 30,
  cluster: 30,
  versions: 30,
};

/** When a run of a project is ended. */
export function limitOf(project: Project, env: NodeJS.ProcessEnv): Pick<ChildOptions, "limit"> {
  return env.HOLDFAST_LONG ? {} : { limit: HANGS[project] * 60_000 };
}

/** Runs a project of vitest.config.ts, and counts its tests. */
export async function runVitest(
  project: Project,
  { args = [], ...options }: VitestOptions = {},
): Promise<ChildEnd & { readonly outcomes: readonly Outcome[] }> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-vitest-"));
  const report = join(folder, "report.json");
  const reporters = [
    "--reporter=default",
    "--reporter=./tools/run/running_reporter.ts",
    "--reporter=./tools/run/times_reporter.ts",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  try {
    const end = await runNode(
      ["node_modules/vitest/vitest.mjs", "run", "--project", project, ...reporters, ...args],
      { ...options, ...limitOf(project, { ...process.env, ...options.env }) },
    );
    const written: unknown = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined;
    return { ...end, outcomes: vitestOutcomes(written, end.exitCode) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
