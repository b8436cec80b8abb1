import type { Violation } from "../reconcile/violation.ts";

/** What must not be done with a PVC that a repository lies on; undefined where none does. */
export function storeViolation(
  { namespace = "", name }: { readonly namespace?: string | undefined; readonly name: string },
  repository: string | undefined,
  { field, what, fix }: Pick<Violation, "field" | "what" | "fix">,
): Violation | undefined {
  if (repository === undefined) return undefined;
  return {
    reason: "HoldsRepository",
    field,
    what: `PersistentVolumeClaim ${namespace}/${name} ${what}`,
    why: `it holds the backups of ${repository}`,
    fix,
  };
}

/** A restore writes over what is there: over a repository, that is every backup in it. */
export const RESTORE_INTO_STORE = {
  what: "cannot be restored into",
  fix: "Restore into another PVC",
} as const;

/** A repository that is backed up grows with every backup, and is nobody's data. */
export const BACKUP_OF_STORE = {
  what: "cannot be backed up",
  fix: "Name the PVC that holds the data. To have a second copy of a repository, copy it with the tools of its storage",
} as const;
