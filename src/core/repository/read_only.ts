import { err, type Result } from "../../lib/result.ts";
import type { Problem } from "../reconcile/problem.ts";
import { REASONS } from "../reconcile/reasons.ts";
import { problemOf, type Violation } from "../reconcile/violation.ts";
import { type Repository, repositoryName } from "./repository.ts";

/** Nothing may be written to the repository: it is there to restore from. */
export function isReadOnly({ spec }: Pick<Repository, "spec">): boolean {
  return spec.access?.readOnly === true;
}

/** What would have to write to a repository, in words, and what else there is to do. */
export const WRITES = {
  backup: { what: "takes no backups", otherwise: "use another repository" },
  maintenance: { what: "is not maintained or unlocked", otherwise: "maintain it where it is written" },
  deletion: {
    what: "keeps its snapshots",
    otherwise: "let the object go without them (annotation skip-snapshot-cleanup)",
  },
} as const;

export type Writing = keyof typeof WRITES;

/** Why the repository may not be written; `field`: the one that leads to it. */
export function readOnlyViolation(
  repository: Repository,
  writing: Writing,
  field: string,
): Violation | undefined {
  if (!isReadOnly(repository)) return undefined;
  const { what, otherwise } = WRITES[writing];
  return {
    reason: REASONS.repositoryReadOnly,
    field,
    forbidden: true,
    what: `${repositoryName(repository)} ${what}`,
    why: "it is read-only (access.readOnly)",
    fix: `Set access.readOnly to false to write to it from here, or ${otherwise}`,
  };
}

/** The repository, if it may also be written. */
export function writable<R extends Repository>(
  found: Result<R, Problem>,
  writing: Writing,
): Result<R, Problem> {
  const violation = found.ok ? readOnlyViolation(found.value, writing, "") : undefined;
  return violation ? err(problemOf(violation)) : found;
}
