import type { SnapshotAnswer } from "../../wire/report.ts";
import type { SnapshotWork } from "../../wire/work.ts";
import { type WorkContext, watched } from "./context.ts";
import { pastDeadLocks } from "./past_dead_locks.ts";

/** One snapshot of each source, in turn. What was made before a failure is kept. */
export async function snapshot(context: WorkContext, { sources, ...settings }: SnapshotWork): Promise<void> {
  const { repository, run, reporter, keep } = context;
  const snapshots: SnapshotAnswer[] = [];
  for (const { name, path, ...source } of sources) {
    const options = { ...settings, ...source, source: path, run, ...watched(context, "snapshot", name) };
    const made = await pastDeadLocks(context, () => repository.snapshot(options));
    snapshots.push({ source: name, ...made });
    keep({ snapshot: { snapshots: [...snapshots] } });
    reporter.log(
      "info",
      `${name}: ${made.unchanged ? "unchanged since" : "made"} snapshot ${made.snapshot.id}`,
    );
  }
}
