import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../../..");

/** A page of the documentation. */
export interface Page {
  /** From the project's root. */
  readonly path: string;
  readonly text: string;
}

/** Written by programs that have tests of their own, or telling of the past. */
const APART = /^docs\/(results\/|benchmarks\.md)/;

/** All that is written for people. */
export function pages(): readonly Page[] {
  const paths = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: ROOT }).sort();
  return paths
    .filter((path) => !APART.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}
