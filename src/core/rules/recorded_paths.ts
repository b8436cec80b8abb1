import type { Violation } from "../reconcile/violation.ts";

/** A path that is recorded for a volume, and where that is said. */
export interface RecordedPath {
  readonly path: string;
  readonly field: string;
}

/** Sources that are recorded under one path could not be told apart. `override`: the field that gives another one. */
export function repeatedPaths(paths: readonly RecordedPath[], override: string): readonly Violation[] {
  const first = new Map<string, string>();
  return paths.flatMap(({ path, field }) => {
    const before = first.get(path);
    first.set(path, before ?? field);
    if (before === undefined) return [];
    return [
      {
        reason: "IdentityCollision",
        field,
        what: `the path ${path} is recorded twice`,
        why: `${before} has it too, and their snapshots could not be told apart`,
        fix: `Remove one of them, or set another ${override}`,
      },
    ];
  });
}
