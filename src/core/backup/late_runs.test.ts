import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import { waits } from "../reconcile/problem.ts";
import { AT, failed, NOW, succeeded, task, taskPlan, working } from "../testing/samples.ts";
import type { RunRecord } from "../work/run_record.ts";
import { attemptId, sideId } from "../work/task_requests.ts";
import type { BackupObject } from "./backup.ts";
import { lateRuns, lateTurn, withLateRuns } from "./late_runs.ts";
import { backup, entry } from "./testing/backup_samples.ts";

const MINUTE = 60_000;
const [FIRST = "", SECOND = ""] = [1, 2].map((n) => attemptId(task("snapshot"), n));
const over: RunRecord = { attempt: 2, step: "Work", failures: 1, outcome: "Succeeded", unseen: [FIRST] };
const done: RunRecord = { attempt: 1, step: "Work", failures: 0, outcome: "Succeeded" };

function succeededWith(work: object = {}, more: object = {}): BackupObject {
  const snapshots = [entry("k2", { runID: SECOND })];
  const job = { runID: SECOND };
  return backup({
    status: { phase: "Succeeded", snapshots, job, work: { snapshot: over, ...work }, ...more },
  });
}

describe("lateRuns()", () => {
  test("are those whose end nobody saw", () => {
    expect(lateRuns(succeededWith())).toEqual([FIRST]);
    expect(lateRuns(succeededWith({ snapshot: done }))).toEqual([]);
    expect(lateRuns(backup())).toEqual([]);
  });

  test("never are those that made no snapshots, but asked about one or cleaned up", () => {
    const unseen = [sideId(task("snapshot"), "Settle", 1), FIRST, sideId(task("snapshot"), "CleanUp", 2)];
    expect(lateRuns(succeededWith({ snapshot: { ...over, side: 2, unseen } }))).toEqual([FIRST]);
  });

  test("never are those that the Backup stands for", () => {
    const settled = { ...over, attempt: 1 };
    const named = [entry("k1", { runID: FIRST })];
    expect(lateRuns(succeededWith({ snapshot: settled }, { snapshots: named }))).toEqual([]);
    const unnamed = { snapshots: [entry("k1")], job: { runID: FIRST }, phase: "Deleting" };
    expect(lateRuns(succeededWith({ snapshot: settled }, unnamed))).toEqual([]);
  });
});

describe("lateTurn()", () => {
  const since = { late: { since: AT } };

  test("is none without such runs, and before the Backup has succeeded", () => {
    expect(lateTurn(succeededWith({ snapshot: done }), NOW)).toBeUndefined();
    expect(lateTurn(succeededWith({}, { phase: "Running" }), NOW)).toBeUndefined();
  });

  test.each([
    ["the beginning is noted", {}, 0, { type: "Note" }],
    ["a minute is waited for", since, 0, { type: "Wait", until: NOW + MINUTE }],
    ["it is looked", since, MINUTE, { type: "Look", purpose: "late-1" }],
    [
      "that goes on",
      { ...since, "late-1": { ...done, outcome: undefined } },
      99 * MINUTE,
      { type: "Look", purpose: "late-1" },
    ],
    [
      "the next look is waited for",
      { ...since, "late-1": done },
      2 * MINUTE,
      { type: "Look", purpose: "late-1", until: NOW + 10 * MINUTE },
    ],
    [
      "it is looked again, also after a failure",
      { ...since, "late-1": { ...done, outcome: "Failed" } },
      10 * MINUTE,
      { type: "Look", purpose: "late-2" },
    ],
    [
      "it is looked once, however much time has passed",
      { ...since, "late-1": done },
      9999 * MINUTE,
      { type: "Look", purpose: "late-4" },
    ],
    [
      "a day later it is over",
      { ...since, "late-1": done, "late-2": done, "late-3": done, "late-4": done },
      9999 * MINUTE,
      { type: "Look", purpose: "late-4" },
    ],
  ] as const)("%s", (_, work, after, turn) => {
    expect(lateTurn(succeededWith(work), NOW + after)).toEqual(turn);
  });
});

describe("withLateRuns()", () => {
  const object = succeededWith();
  const decide = (late: Parameters<typeof withLateRuns>[2]) =>
    withLateRuns({ intents: [] }, object, late, NOW);

  test("changes nothing where there is nothing to look for", () => {
    expect(decide(undefined)).toEqual({ intents: [] });
  });

  test("remembers since when it looks", () => {
    const { status, wakeAt } = decide({ turn: { type: "Note" } });
    expect(status).toMatchObject({ phase: "Succeeded", work: { snapshot: over, late: { since: AT } } });
    expect(wakeAt).toBe(NOW);
  });

  test("waits", () => {
    expect(decide({ turn: { type: "Wait", until: NOW + 5 } })).toEqual({ intents: [], wakeAt: NOW + 5 });
    const run = err(waits("RepositoryNotReady", "It is away."));
    expect(decide({ turn: { type: "Look", purpose: "late-1" }, run })).toEqual({
      intents: [],
      wakeAt: NOW + 30_000,
    });
  });

  test("carries out the run that looks, and keeps what is to be remembered of it", () => {
    const intents = [{ type: "Cancel", job: {} }] as never;
    const value = taskPlan("late-1", working, { intents, record: { job: "job-1" } });
    const run = ok(value);
    const decision = decide({ turn: { type: "Look", purpose: "late-1" }, run });
    expect(decision.status?.work).toMatchObject({ snapshot: over, "late-1": { job: "job-1" } });
    expect(decision.intents).toEqual([{ type: "Run", decision: value.decision }]);
    expect(decision.events).toEqual([]);
    const ended = taskPlan("late-1", succeeded({ delete: { deleted: 0 } }), { intents });
    const next = ok(taskPlan("late-2", working));
    const both = decide({ turn: { type: "Look", purpose: "late-2" }, run: next, earlier: [ended] });
    expect(both.intents).toEqual([{ type: "Run", decision: ended.decision }]);
  });

  test("forgets why an earlier look failed: a status has little room", () => {
    const lastFailure = { class: "Unreachable", message: "It was away.", remedy: "Wait." } as const;
    const earlier = [taskPlan("late-1", failed(lastFailure), { record: { failures: 1, lastFailure } })];
    const run = ok(taskPlan("late-2", working));
    const { work } = decide({ turn: { type: "Look", purpose: "late-2" }, run, earlier }).status ?? {};
    expect(work).toMatchObject({ "late-1": { failures: 1, outcome: "Failed" }, "late-2": {} });
    expect(work).not.toHaveProperty("late-1.lastFailure");
  });

  test("says what was deleted", () => {
    const look = (deleted: number) =>
      decide({
        turn: { type: "Look", purpose: "late-1" },
        run: ok(taskPlan("late-1", succeeded({ delete: { deleted } }))),
      }).events;
    expect(look(0)).toEqual([]);
    expect(look(1)).toMatchObject([{ type: "Warning", reason: "LateSnapshotDeleted" }]);
  });
});
