import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cacheFolder } from "../cluster/folders.ts";

/** What a file of tests took. */
export interface FileTime {
  readonly project: string;
  readonly file: string;
  readonly seconds: number;
  /** Of its process and of those that it started and saw end. Absent where it never got to its end. */
  readonly processorSeconds?: number;
}

/** So many are shown; all of them are in the file. */
const SHOWN = 20;

/** From now on, what every file of tests took is kept: all that this process starts inherits where. */
export function keepTimes(): void {
  process.env.HOLDFAST_TIMES = join(mkdtempSync(join(tmpdir(), "holdfast-times-")), "times");
}

/** Writes where a suite's time went to a file in the cache, and says the slowest; nothing where it was not kept. */
export function timesShown(suite: string, env: NodeJS.ProcessEnv = process.env): string {
  const kept = env.HOLDFAST_TIMES;
  if (!kept || !existsSync(kept)) return "";
  const times = timesIn(readFileSync(kept, "utf8"));
  rmSync(dirname(kept), { recursive: true });
  const path = join(cacheFolder(env), "results", `${suite.replaceAll(":", "-")}-times.txt`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${timesTable(times)}\n`);
  return `where the time went (all of it: ${path}):\n${timesTable(times, SHOWN)}`;
}

/** A line of what is kept. */
export function timeLine(time: FileTime): string {
  return `${JSON.stringify(time)}\n`;
}

export function timesIn(lines: string): readonly FileTime[] {
  return lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FileTime);
}

/** A table, the slowest first; `most`: of how many. */
export function timesTable(times: readonly FileTime[], most = times.length): string {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, most);
  const wide = Math.max("project".length, ...slowest.map(({ project }) => project.length));
  const row = (seconds: string, processor: string, project: string, file: string) =>
    `${seconds.padStart(9)}  ${processor.padStart(9)}  ${project.padEnd(wide)}  ${file}`;
  return [
    row("seconds", "processor", "project", "file"),
    ...slowest.map(({ seconds, processorSeconds, project, file }) =>
      row(seconds.toFixed(1), processorSeconds?.toFixed(1) ?? "-", project, file),
    ),
  ].join("\n");
}
