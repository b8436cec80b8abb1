import { onlyOwner } from "../../wire/only_owner.ts";
import type { Answer, SnapshotAnswer } from "../../wire/report.ts";
import type { SnapshotReference } from "../../wire/work.ts";
import { cut } from "../reconcile/task_words.ts";
import type { BackupStats, SnapshotEntry } from "./backup.ts";

/** What a run says it made. */
export function madeSnapshots(answer: Answer | undefined): readonly SnapshotAnswer[] {
  return answer && "snapshot" in answer ? answer.snapshot.snapshots : [];
}

export function snapshotEntry(answer: SnapshotAnswer): SnapshotEntry {
  const { source, snapshot, unchanged } = answer;
  const { id, root, run, identity, bytes, fidelity, owners } = snapshot;
  const incomplete = snapshot.incomplete ?? lackOf(answer);
  const { username, hostname, path } = identity;
  return {
    id,
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

/**
 * What a snapshot lacks though its run was allowed to leave unreadable files out: one that holds nothing, or not what is
 * in a folder, is no backup of its volume.
 */
function lackOf({ snapshot: { files, failedFiles = 0 }, unreadable }: SnapshotAnswer): string | undefined {
  const count = Math.max(failedFiles, unreadable.length);
  if (count === 0) return undefined;
  const some = unreadable.slice(0, 3).map((path) => cut(path, 60));
  const more = count > some.length ? ` and ${count - some.length} more` : "";
  const names = some.length > 0 ? `: ${some.join(", ")}${more}` : "";
  if (files === 0) return `nothing could be read${names}`;
  return unreadable.some((path) => path.endsWith("/"))
    ? `folders could not be read, and what is in them is not known${names}`
    : undefined;
}

/** What a mover is told of a snapshot, so that it finds it again when its ID has changed. */
export function entryReference({ id, runID: run, root, identity }: SnapshotEntry): SnapshotReference {
  const { username, hostname, sourcePath: path } = identity;
  return {
    id,
    ...(run ? { run } : {}),
    ...(root ? { root } : {}),
    identity: { username, hostname, path },
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
