import type { OwnerReference } from "../../kube/object.ts";
import { fingerprint } from "../../lib/hash.ts";
import { MAX_NAME, objectName } from "../../lib/names.ts";

/** What an owner wants a run for: one word in lower case. An owner has at most one task of each. */
export type RunPurpose = string;

export interface RunIdParts {
  readonly owner: Pick<OwnerReference, "name" | "uid">;
  readonly purpose: RunPurpose;
  /** Counted from 1. */
  readonly attempt: number;
}

/**
 * Enough of the hash to tell apart all runs that a repository ever sees, from however many clusters: it is what a
 * lost run is looked up by.
 */
const MARK_LENGTH = 12;

/** The ID of one attempt: the same parts give the same ID, in whatever process. */
export function runId({ owner, purpose, attempt }: RunIdParts): string {
  const tail = `${purpose}-${fingerprint(`${owner.uid}/${purpose}`, MARK_LENGTH)}-${attempt}`;
  const head = owner.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_NAME - tail.length - 1)
    .replace(/^-+|-+$/g, "");
  return objectName(...(head ? [head] : []), tail);
}
