import { SAFETY_TAG, shrunkText } from "../../../core/catalog/passed_over.ts";
import { CONDITIONS } from "../../../core/reconcile/condition_types.ts";
import { conditionOf, refOf } from "../../../core/view/shown_object.ts";
import type { SnapshotView } from "../../../core/view/view.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { keyOf } from "../../../kube/object.ts";
import { shrunkVolumes } from "../backup/shrunk_volumes.ts";
import { groupedBy, planKeys, type Seen } from "./seen.ts";

/** The snapshots of volumes that Backups stand for: of claims that they name, or by the identity that a claim has. */
export function snapshotsIn({
  backups,
  configs,
  repositories,
}: Pick<Seen, "backups" | "configs" | "repositories">): readonly SnapshotView[] {
  const damagedSince = new Map(
    repositories.flatMap((repository) => {
      const intact = conditionOf(repository, CONDITIONS.intact);
      return intact?.status === "False"
        ? [[repository.metadata.uid, Date.parse(intact.lastTransitionTime)]]
        : [];
    }) as readonly (readonly [string, number])[],
  );
  const sources = configs.flatMap(({ status }) => {
    const { identity, repository } = status?.resolved ?? {};
    return (identity?.sources ?? []).map(({ pvc, sourcePath }) => ({
      pvc,
      key: identity && identityKey(repository?.uniqueID, { ...identity, sourcePath }),
    }));
  });
  const made = groupedBy(backups, planKeys);
  const shrunk = new Map(
    configs.flatMap((config) => [...shrunkVolumes(config, made.get(keyOf(config)) ?? [])]),
  );
  const byIdentity = groupedBy(sources, ({ key }) => (key === undefined ? [] : [key]));
  const views: SnapshotView[] = [];
  for (const backup of backups) {
    const { status } = backup;
    if (status?.phase !== "Succeeded" && status?.phase !== "Discovered") continue;
    const found = new Set<string>();
    const since = damagedSince.get(status.resolved?.repository?.uid ?? "");
    const doubt = since !== undefined && Date.parse(endOf(backup)) >= since ? DAMAGED : undefined;
    for (const snapshot of status.snapshots ?? (status.snapshot ? [status.snapshot] : [])) {
      const { pvc, identity, sizeBytes: bytes, incomplete } = snapshot;
      // After the loss of all objects the identity alone tells whose a snapshot is: what was found names no claim.
      const key =
        status.phase === "Discovered"
          ? identityKey(status.resolved?.repository?.uniqueID, identity)
          : undefined;
      const known = key === undefined ? [] : (byIdentity.get(key) ?? []).map((source) => source.pvc);
      for (const claim of pvc === undefined ? known : [pvc, ...known]) {
        // A volume may be recorded under two paths: its content is the same.
        if (found.has(claim)) continue;
        found.add(claim);
        const smaller = pvc === undefined ? undefined : shrunk.get(backup.metadata.uid)?.get(pvc);
        const why = doubt ?? (smaller && shrunkText(smaller));
        const before = backup.spec.tags?.[SAFETY_TAG] === undefined ? {} : { beforeRestore: true as const };
        views.push({
          object: refOf(backup),
          claim,
          at: endOf(backup),
          bytes,
          incomplete,
          doubt: why,
          ...before,
        });
      }
    }
  }
  return views;
}

const DAMAGED =
  "it was made after damage was found in the repository, and no check has found the repository sound since";

/** When the data was captured, as far as that is known. */
export function endOf({ metadata, status }: Backup): string {
  return status?.timing?.endTime ?? metadata.creationTimestamp;
}

function identityKey(
  repository: string | undefined,
  { username, hostname, sourcePath }: SnapshotStatus["identity"],
): string | undefined {
  return repository === undefined ? undefined : JSON.stringify([repository, username, hostname, sourcePath]);
}
