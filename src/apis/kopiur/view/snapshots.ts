import { SAFETY_TAG, shrunkText } from "../../../core/catalog/passed_over.ts";
import { damagedSince, doubtOf } from "../../../core/view/damaged_since.ts";
import { refOf } from "../../../core/view/shown_object.ts";
import type { SnapshotView } from "../../../core/view/view.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { keyOf } from "../../../kube/object.ts";
import { shrunkVolumes } from "../backup/shrunk_volumes.ts";
import { groupedBy, planKeys, type Seen } from "./seen.ts";

/**
 * The snapshots of volumes that Backups stand for: of claims that they name, or by the identity that a claim has.
 * `meant`: the claim of an identity that is no BackupConfig's. Default: it is nobody's.
 */
export function snapshotsIn(
  { backups, configs, repositories }: Pick<Seen, "backups" | "configs" | "repositories">,
  meant: (identity: SnapshotStatus["identity"]) => string | undefined = () => undefined,
): readonly SnapshotView[] {
  const damaged = damagedSince(repositories, ({ metadata }) => metadata.uid);
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
    const doubt = doubtOf(endOf(backup), damaged.get(status.resolved?.repository?.uid ?? ""));
    for (const snapshot of status.snapshots ?? (status.snapshot ? [status.snapshot] : [])) {
      const { pvc, identity, sizeBytes: bytes, incomplete } = snapshot;
      // After the loss of all objects the identity alone tells whose a snapshot is: what was found names no claim.
      const key =
        status.phase === "Discovered"
          ? identityKey(status.resolved?.repository?.uniqueID, identity)
          : undefined;
      const named = key === undefined ? [] : (byIdentity.get(key) ?? []).map((source) => source.pvc);
      const guess = key === undefined || pvc !== undefined || named.length > 0 ? undefined : meant(identity);
      const known = guess === undefined ? named : [guess];
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
