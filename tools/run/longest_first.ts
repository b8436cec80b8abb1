import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The test files that take a minute and more, wherever they run, the longest first. They are begun before all others, so
 * that nothing works on alone at the end.
 */
const LONGEST = [
  "install",
  "staging",
  "faults",
  "population",
  "walkthroughs",
  "rebuilt_cluster",
  "hooks",
  "queue",
  "catalogue",
  "mover_faults",
  "kopia_engine",
  "scenarios",
  "shared_repositories",
  "docs_night",
  "sessions",
  "maintenance",
  "cli",
  "in_place",
  "api_server_away",
  "two_clusters",
  "restic",
  "standstill",
  "conformance",
  "across_namespaces",
  "cli_guide",
  "mover_restic",
  "restoring",
  "storages",
  "kopia",
];

/** The files in the order in which they are to be begun. */
export function longestFirst<T>(files: readonly T[], pathOf: (file: T) => string): readonly T[] {
  const rank = (file: T) => {
    const at = LONGEST.indexOf(basename(pathOf(file), ".test.ts"));
    return at < 0 ? LONGEST.length : at;
  };
  return files.toSorted((a, b) => rank(a) - rank(b));
}

/** Vitest's own order, but for what takes long. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...longestFirst(await super.sort(files), ({ moduleId }) => moduleId)];
  }
}
