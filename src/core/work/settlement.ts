import { sameIdentity } from "../../wire/identity.ts";
import { type CatalogAnswer, REPORT_VERSION, type Result, type SnapshotAnswer } from "../../wire/report.ts";
import type { Loss, LossKind, Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotSource, SnapshotWork } from "../../wire/work.ts";
import type { RunRecord } from "./run_record.ts";
import type { RunTask } from "./run_request.ts";
import type { EndedRun, LostRun } from "./run_state.ts";

/** What the repository says about a run whose report was lost. */
export type Settlement =
  /** Every snapshot is there and whole: the run succeeded. */
  | { readonly type: "Made"; readonly result: Result }
  | { readonly type: "Nothing" }
  /** Some are there, or they are not whole: they are deleted before another attempt, or it would make duplicates. */
  | { readonly type: "Partly" };

/** Looks for the snapshots of a run among those that carry its tag. */
export function settle(work: SnapshotWork, run: string, catalog: CatalogAnswer): Settlement {
  const tagged = catalog.snapshots.filter((snapshot) => snapshot.run === run);
  if (tagged.length === 0) return { type: catalog.found === 0 ? "Nothing" : "Partly" };
  const snapshots: SnapshotAnswer[] = [];
  for (const source of work.sources) {
    const snapshot = tagged.find((candidate) => isWhole(candidate, source));
    if (!snapshot) return { type: "Partly" };
    const losses = lossesOf(snapshot);
    snapshots.push({ source: source.name, snapshot, unchanged: false, losses, unreadable: [] });
  }
  const times = snapshots.map(({ snapshot }) => snapshot);
  const startedAt = times.map((one) => one.startedAt).toSorted()[0] ?? "";
  const endedAt =
    times
      .map((one) => one.endedAt ?? one.startedAt)
      .toSorted()
      .at(-1) ?? startedAt;
  return {
    type: "Made",
    result: { version: REPORT_VERSION, run, startedAt, endedAt, answer: { snapshot: { snapshots } } },
  };
}

/** What the repository knows of them: the examples were lost with the report. */
function lossesOf({ lost = {} }: Snapshot): readonly Loss[] {
  const counts = Object.entries(lost) as readonly (readonly [LossKind, number])[];
  const reason = "the engine does not keep it, and fidelity is Engine";
  return counts.map(([kind, count]) => ({ kind, count, examples: [], reason }));
}

function isWhole(snapshot: Snapshot, { identity }: SnapshotSource): boolean {
  return (
    sameIdentity(snapshot.identity, identity) &&
    snapshot.incomplete === undefined &&
    snapshot.fidelity !== "Degraded"
  );
}

/**
 * Whether an attempt may have left snapshots that nobody refers to; one that was never told to start has left none. All
 * other work may simply be done again: what it finds done already it leaves so.
 */
export function mayHaveLeft(
  task: Pick<RunTask, "work" | "startsBySignal">,
  state: EndedRun | LostRun,
  { signalled = false }: Pick<RunRecord, "signalled">,
): boolean {
  if (!("snapshot" in task.work.work) || (task.startsBySignal && !signalled)) return false;
  if (state.phase === "Lost") return true;
  const { source, result } = state;
  if (result.failure === undefined) return lacksSnapshots(task, result);
  if (source === "NotStarted") return false;
  return source === "Container" || result.repository !== undefined;
}

/** Whether a success was shortened so far that it leaves out snapshots: only the repository knows of them. */
export function lacksSnapshots(
  { work: { work } }: Pick<RunTask, "work">,
  { shortened = false, answer }: Result,
): boolean {
  if (!shortened || !("snapshot" in work)) return false;
  const told = answer && "snapshot" in answer ? answer.snapshot.snapshots.length : 0;
  return told < work.snapshot.sources.length;
}

/**
 * Whether a source may refer to an earlier snapshot, which does not carry the run's tag: what an answer leaves out then
 * need not be found by it.
 */
export function mayReferBack({ work: { work } }: Pick<RunTask, "work">): boolean {
  return "snapshot" in work && work.snapshot.skipIdentical === true;
}
