import { type Answer, REPORT_VERSION, type Result } from "../../../src/wire/report.ts";
import type { Snapshot } from "../../../src/wire/snapshot.ts";
import type { SnapshotFilter, SnapshotSource, WorkSpec } from "../../../src/wire/work.ts";

/** What a repository holds, as far as runs are concerned: snapshots with the tags of the runs that made them. */
export class FakeRepository {
  snapshots: Snapshot[] = [];
  /** How much of the data each check has read. */
  readonly checks: number[] = [];
  #made = 0;

  /** Does the work; of a backup only the first `sources` sources. */
  perform(spec: WorkSpec, now: number, sources = Number.POSITIVE_INFINITY): Answer {
    const { work, run } = spec;
    const stats = { snapshots: this.snapshots.length, storedBytes: 0 };
    if ("snapshot" in work) {
      const made = work.snapshot.sources.slice(0, sources).map((source) => this.#add(source, run, now));
      return {
        snapshot: {
          snapshots: made.map(([source, snapshot]) => ({
            source,
            snapshot,
            unchanged: false,
            losses: [],
            unreadable: [],
          })),
        },
      };
    }
    if ("catalog" in work) {
      const { filter = {} } = work.catalog;
      const snapshots = this.snapshots.filter((one) => isWanted(one, filter));
      return { catalog: { stats, found: snapshots.length, snapshots } };
    }
    if ("delete" in work) {
      const runs = work.delete.runs ?? [];
      const ids = work.delete.snapshots.map(({ id }) => id);
      const kept = this.snapshots.filter((one) => !runs.includes(one.run ?? "") && !ids.includes(one.id));
      const deleted = this.snapshots.length - kept.length;
      this.snapshots = kept;
      return { delete: { deleted } };
    }
    if ("restore" in work) {
      const { id } = work.restore.snapshot;
      const snapshot = this.snapshots.find((one) => one.id === id) ?? this.snapshots[0];
      if (!snapshot) throw new Error("there is nothing to restore");
      return { restore: { snapshot, files: 0, bytes: 0, fidelity: "Full", losses: [] } };
    }
    if ("init" in work) return { init: stats };
    if ("maintain" in work) return { maintain: {} };
    if ("check" in work) {
      this.checks.push(work.check.dataPercent ?? 0);
      return { check: { problems: [] } };
    }
    throw new Error(`nobody needs ${Object.keys(work)[0]} here`);
  }

  #add({ name, identity }: SnapshotSource, run: string, now: number): readonly [string, Snapshot] {
    const snapshot: Snapshot = {
      id: `k${++this.#made}`,
      identity,
      run,
      tags: {},
      startedAt: new Date(now).toISOString(),
      root: `root of ${identity.path}`,
      fidelity: "Full",
    };
    this.snapshots.push(snapshot);
    return [name, snapshot];
  }
}

function isWanted({ run, identity }: Snapshot, { username, hostname, path, ...filter }: SnapshotFilter) {
  const pairs = [
    [filter.run, run],
    [username, identity.username],
    [hostname, identity.hostname],
    [path, identity.path],
  ];
  return pairs.every(([wanted, present]) => wanted === undefined || wanted === present);
}

export function resultOf(spec: WorkSpec, now: number, more: Partial<Result>): Result {
  const at = new Date(now).toISOString();
  const repository = { id: "r", created: false };
  return { version: REPORT_VERSION, run: spec.run, startedAt: at, endedAt: at, repository, ...more };
}
