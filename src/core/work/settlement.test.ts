import { describe, expect, test } from "vitest";
import type { CatalogAnswer } from "../../wire/report.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotWork } from "../../wire/work.ts";
import { mayHaveLeft, settle } from "./settlement.ts";
import {
  failureOfClass,
  sampleRequest,
  sampleResult,
  sampleSnapshot,
  sampleTask,
} from "./testing/samples.ts";

const identity = { username: "data", hostname: "shop", path: "/data" };
const other = { ...identity, path: "/logs" };
const one: SnapshotWork = { sources: [{ name: "data", path: "/v/data", identity }] };
const two: SnapshotWork = {
  sources: [...one.sources, { name: "logs", path: "/v/logs", identity: other }],
};
const logs = sampleSnapshot({
  id: "k2",
  identity: other,
  startedAt: "2026-01-01T00:01:00Z",
  endedAt: "2026-01-01T00:03:00Z",
});

const listing = (...snapshots: readonly Snapshot[]): CatalogAnswer => ({
  stats: { snapshots: 9, storedBytes: 1 },
  found: snapshots.length,
  snapshots,
});

describe("settle()", () => {
  test.each([
    ["the only snapshot is there", one, [sampleSnapshot()], "Made"],
    ["all are there", two, [logs, sampleSnapshot()], "Made"],
    ["none is there", two, [], "Nothing"],
    ["one of two is there", two, [sampleSnapshot()], "Partly"],
    ["it is there, but not whole", one, [sampleSnapshot({ incomplete: "checkpoint" })], "Partly"],
    ["it is there, but degraded", one, [sampleSnapshot({ fidelity: "Degraded" })], "Partly"],
    ["one of somebody else is there", one, [logs], "Partly"],
    [
      "a checkpoint and the whole one are there",
      one,
      [sampleSnapshot(), sampleSnapshot({ incomplete: "c" })],
      "Made",
    ],
    ["the engine's own fidelity was chosen", one, [sampleSnapshot({ fidelity: "Engine" })], "Made"],
  ] as const)("when %s", (_, work, snapshots, type) => {
    expect(settle(work, sampleRequest.id, listing(...snapshots)).type).toBe(type);
  });

  test("does not count what carries no tag of the run, and deletes nothing for its sake", () => {
    const untagged = listing(sampleSnapshot({ run: "another-run" }));
    expect(settle(one, sampleRequest.id, untagged).type).toBe("Partly");
    expect(settle(one, sampleRequest.id, { ...untagged, found: 0, snapshots: [] }).type).toBe("Nothing");
  });

  test("makes the result that was lost", () => {
    expect(settle(two, sampleRequest.id, listing(logs, sampleSnapshot()))).toEqual({
      type: "Made",
      result: {
        version: 1,
        run: sampleRequest.id,
        startedAt: "2026-01-01T00:00:10Z",
        endedAt: "2026-01-01T00:03:00Z",
        answer: {
          snapshot: {
            snapshots: [
              { source: "data", snapshot: sampleSnapshot(), unchanged: false, losses: [], unreadable: [] },
              { source: "logs", snapshot: logs, unchanged: false, losses: [], unreadable: [] },
            ],
          },
        },
      },
    });
  });
});

test("settle() says what the snapshots will not bring back, as far as the repository knows", () => {
  const snapshot = sampleSnapshot({ fidelity: "Engine", lost: { HardLink: 3, Time: 12 } });
  const reason = "the engine does not keep it, and fidelity is Engine";
  expect(settle(one, sampleRequest.id, listing(snapshot))).toMatchObject({
    result: {
      answer: {
        snapshot: {
          snapshots: [
            {
              losses: [
                { kind: "HardLink", count: 3, examples: [], reason },
                { kind: "Time", count: 12, examples: [], reason },
              ],
            },
          ],
        },
      },
    },
  });
});

describe("mayHaveLeft()", () => {
  const restore = {
    ...sampleTask,
    work: { ...sampleTask.work, work: { restore: { snapshot: { id: "k1" }, target: "/t" } } },
  };
  const lost = { phase: "Lost", why: "PodGone", message: "m", logTail: [] } as const;
  const ended = (source: "Report" | "Container" | "NotStarted", changes = {}) =>
    ({
      phase: "Ended",
      source,
      logTail: [],
      result: sampleResult({ failure: failureOfClass("Full"), ...changes }),
    }) as const;
  const repository = { id: "r", created: false };

  test.each([
    ["a lost backup", sampleTask, lost, true],
    ["a lost restore", restore, lost, false],
    ["a backup without a report", sampleTask, ended("Container"), true],
    ["a backup that never started", sampleTask, ended("NotStarted"), false],
    ["a failed backup that opened the repository", sampleTask, ended("Report", { repository }), true],
    ["a failed backup that never opened it", sampleTask, ended("Report"), false],
    [
      "a backup that succeeded",
      sampleTask,
      { ...ended("Report"), result: sampleResult({ repository }) },
      false,
    ],
    [
      "a backup that succeeded, and whose answer was cut short",
      sampleTask,
      { ...ended("Report"), result: sampleResult({ repository, shortened: true }) },
      true,
    ],
  ] as const)("of %s", (_, task, state, left) => {
    expect(mayHaveLeft(task, state, {})).toBe(left);
  });

  test("of a backup that starts by signal only once it was told to start", () => {
    const task = { ...sampleTask, startsBySignal: true };
    expect(mayHaveLeft(task, lost, {})).toBe(false);
    expect(mayHaveLeft(task, lost, { signalled: true })).toBe(true);
  });
});
