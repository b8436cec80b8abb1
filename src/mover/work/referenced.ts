import type { Repository } from "../../engines/engine.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { sameIdentity } from "../../wire/identity.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotReference } from "../../wire/work.ts";

/**
 * The snapshot that a reference means: by its ID, else by run, and by root and identity as far as the reference has
 * them. When several fit, they must be of one identity and have one root: a guess might be wrong.
 */
export function referenced(
  snapshots: readonly Snapshot[],
  { id, run, root, identity }: SnapshotReference,
): Snapshot | undefined {
  const byId = snapshots.find((snapshot) => snapshot.id === id);
  if (byId) return byId;
  if (run === undefined || (root === undefined && identity === undefined)) return undefined;
  const alike = snapshots.filter(
    (snapshot) =>
      snapshot.run === run &&
      (root === undefined || snapshot.root === root) &&
      (identity === undefined || sameIdentity(snapshot.identity, identity)),
  );
  const [first, ...others] = alike;
  const same = (other: Snapshot) =>
    other.root === first?.root && sameIdentity(other.identity, first.identity);
  return first && others.every(same) ? first : undefined;
}

/** Looks a reference up in the repository. Rejects with SnapshotMissing. */
export async function findReferenced(
  repository: Repository,
  reference: SnapshotReference,
  signal: AbortSignal,
): Promise<Snapshot> {
  const candidates: Snapshot[] = [];
  for await (const snapshot of repository.list({}, { signal })) {
    if (snapshot.id === reference.id || snapshot.run === reference.run) candidates.push(snapshot);
  }
  const found = referenced(candidates, reference);
  if (found) return found;
  const { id, run } = reference;
  const also = run === undefined ? "" : `, and none of the run ${run} with its content`;
  throw new EngineError("SnapshotMissing", `the repository has no snapshot ${id}${also}`);
}
