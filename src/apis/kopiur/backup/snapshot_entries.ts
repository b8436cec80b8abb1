import type { BackupStats, SnapshotStatus } from "../../../kinds/kopiur/parts.ts";
import { onlyOwner } from "../../../wire/only_owner.ts";
import type { Answer, SnapshotAnswer } from "../../../wire/report.ts";
import { cut } from "../run_words.ts";

/** What a run says it made. */
export function madeSnapshots(answer: Answer | undefined): readonly SnapshotAnswer[] {
  return answer && "snapshot" in answer ? answer.snapshot.snapshots : [];
}

export function snapshotEntry({ source, snapshot, unchanged }: SnapshotAnswer): SnapshotStatus {
  const { id, root, run, identity, bytes, fidelity, incomplete, owners } = snapshot;
  const { username, hostname, path } = identity;
  return {
    kopiaSnapshotID: id,
    ...(root ? { root } : {}),
    ...(run ? { runID: run } : {}),
    identity: { username, hostname, sourcePath: path },
    pvc: source,
    ...(bytes === undefined ? {} : { sizeBytes: bytes }),
    fidelity,
    ...(unchanged ? { unchanged } : {}),
    ...(incomplete ? { incomplete: cut(incomplete, 256) } : {}),
    ...onlyOwner(owners),
  };
}

/** All sources together; a figure that one of them lacks is not known. */
export function statsOf(made: readonly SnapshotAnswer[]): BackupStats {
  const sum = (figure: (one: SnapshotAnswer) => number | undefined) => {
    const figures = made.map(figure);
    return figures.includes(undefined)
      ? undefined
      : figures.reduce<number>((all, one) => all + (one ?? 0), 0);
  };
  const stats = {
    sizeBytes: sum(({ snapshot }) => snapshot.bytes),
    bytesNew: sum(({ addedBytes }) => addedBytes),
    filesNew: sum(({ changes }) => changes?.new),
    filesModified: sum(({ changes }) => changes?.modified),
    filesUnchanged: sum(({ changes }) => changes?.unchanged),
    files: sum(({ snapshot }) => snapshot.files),
    folders: sum(({ snapshot }) => snapshot.folders),
    filesFailed: sum(({ snapshot }) => snapshot.failedFiles ?? 0),
  };
  return Object.fromEntries(Object.entries(stats).filter(([, value]) => value !== undefined)) as BackupStats;
}
