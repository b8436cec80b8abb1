import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { SnapshotAnswer } from "../../wire/report.ts";
import type { SnapshotWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";
import { pastDeadLocks } from "./past_dead_locks.ts";

/** One snapshot of each source, in turn. What was made before a failure is kept. */
export async function snapshot(context: WorkContext, { sources, ...settings }: SnapshotWork): Promise<void> {
  const { repository, run, reporter, keep } = context;
  const snapshots: SnapshotAnswer[] = [];
  for (const { name, path, mountedOver: _, ...source } of sources) {
    const options = { ...settings, ...source, source: path, run, ...watched(context, "snapshot", name) };
    const made = await pastDeadLocks(context, () => repository.snapshot(options));
    const unreadable = await Promise.all(made.unreadable.map((one) => withFolderMark(path, one)));
    snapshots.push({ source: name, ...made, unreadable });
    keep({ snapshot: { snapshots: [...snapshots] } });
    reporter.log(
      "info",
      `${name}: ${made.unchanged ? "unchanged since" : "made"} snapshot ${made.snapshot.id}${figuresOf(made)}`,
    );
  }
}

/** A folder ends with a slash: nobody knows how much is in one that could not be read. */
async function withFolderMark(source: string, name: string): Promise<string> {
  const found = await stat(name.startsWith(source) ? name : join(source, name)).catch(() => undefined);
  return found?.isDirectory() && !name.endsWith("/") ? `${name}/` : name;
}

/** How much it holds, and how much of that is new, as far as the engine says. */
function figuresOf({ snapshot, addedBytes, unchanged }: Omit<SnapshotAnswer, "source">): string {
  const { files, bytes } = snapshot;
  const figures = [
    ...(files === undefined ? [] : [`${files} files`]),
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ...(addedBytes === undefined || unchanged ? [] : [`${addedBytes} bytes new in the repository`]),
  ];
  return figures.length === 0 ? "" : ` (${figures.join(", ")})`;
}
