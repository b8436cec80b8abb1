import { describe, expect, test } from "vitest";
import { timestamp } from "../../kube/write/timestamp.ts";
import { err, ok } from "../../lib/result.ts";
import { blocked } from "../reconcile/problem.ts";
import {
  AT,
  failed,
  GROUP,
  NOW,
  succeeded,
  task,
  taskPlan,
  UNREACHABLE,
  WRONG_PASSWORD,
  working,
} from "../testing/samples.ts";
import { type RunRecord, renewed } from "../work/run_record.ts";
import { attemptId } from "../work/task_requests.ts";
import { decideDeletion, type ObservedDeletion } from "./decide_deletion.ts";
import { deletePurpose, deletionEdition, toDelete } from "./delete_task.ts";
import { backup, entry, FINALIZER } from "./testing/backup_samples.ts";

const HOUR = 3_600_000;

const status = { phase: "Succeeded", snapshots: [entry("k1", { root: "r1", runID: "run-1" })] };
const SKIP = { [`${GROUP}/skip-snapshot-cleanup`]: "true" };
const going = (annotations: Record<string, string> = {}) =>
  backup({ metadata: { deletionTimestamp: AT, annotations }, status });

const decide = (more: Partial<ObservedDeletion> = {}) =>
  decideDeletion({
    backup: going(),
    finalizer: FINALIZER,
    policy: "Delete",
    namespaceGoing: false,
    now: NOW,
    ...more,
  });

const LET_GO = [{ type: "LetGo", finalizer: FINALIZER }];

describe("decideDeletion()", () => {
  test.each<[string, Partial<ObservedDeletion>]>([
    ["there is nothing to delete", {}],
    ["the policy is Retain", { policy: "Retain", deletion: ok(taskPlan("delete-1", working)) }],
    [
      "the snapshots are deleted",
      { deletion: ok(taskPlan("delete-1", succeeded({ delete: { deleted: 1 } }))) },
    ],
  ])("lets go when %s", (_, more) => {
    expect(decide(more)).toEqual({ intents: LET_GO, events: [] });
  });

  test("lets go at once in a namespace that is going, and keeps the snapshots", () => {
    const decision = decide({ namespaceGoing: true, deletion: ok(taskPlan("delete-1", working)) });
    expect(decision.intents).toEqual(LET_GO);
    expect(decision.events).toEqual([
      {
        type: "Normal",
        reason: "SnapshotOrphaned",
        message: "The namespace is being deleted. The repository keeps k1.",
      },
    ]);
  });

  test("a repository elsewhere learns which snapshots it should have been rid of", () => {
    const note = { type: "Note" } as const;
    const leaving = (more: Partial<ObservedDeletion<typeof note>> = {}) =>
      decideDeletion({
        backup: going(),
        finalizer: FINALIZER,
        policy: "Delete",
        namespaceGoing: true,
        noteKept: () => [note],
        now: NOW,
        ...more,
      }).intents;
    expect(leaving()).toEqual([note, ...LET_GO]);
    expect(leaving({ policy: "Retain" })).toEqual(LET_GO);
    expect(leaving({ backup: backup() })).toEqual(LET_GO);
    const cleaning = { intents: [], done: false, unseen: [] };
    expect(leaving({ cleaning })).toEqual([]);
  });

  test("waits, and says why, while many are deleted at once", () => {
    const readyState = { state: "reconciling", reason: "DeletionHeld", message: "m", warning: true } as const;
    // Also where the run that would delete them could begin, or has begun.
    const remove = { type: "Remove", job: {} as never } as const;
    const deletion = ok(taskPlan("delete", working, { intents: [remove] }));
    const decision = decide({ held: { readyState, wakeAt: NOW + 5 }, deletion });
    expect(decision).toMatchObject({ intents: [], wakeAt: NOW + 5 });
    expect(decision.status).toMatchObject({ phase: "Deleting" });
    expect(decision.status?.conditions).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: "Ready", reason: "DeletionHeld" })]),
    );
    expect(decision.status?.conditions?.some(({ type }) => type === "SnapshotDeletionFailed")).toBe(false);
  });

  test.each<[string, Partial<ObservedDeletion>]>([
    ["whatever its policy", { policy: "Retain" }],
    ["in a namespace that is going, which cannot go sooner anyway", { namespaceGoing: true }],
    ["when told to leave its snapshots", { backup: going(SKIP) }],
  ])("stays until what was staged for it is gone, %s", (_, more) => {
    const remove = { type: "Delete" } as never;
    const cleaning = { intents: [remove], done: false, unseen: [] };
    expect(decide({ ...more, cleaning })).toMatchObject({
      intents: [{ type: "Stage", intents: [remove] }],
      events: [],
    });
    expect(decide({ ...more, cleaning: { intents: [], done: true, unseen: [] } }).intents).toEqual(LET_GO);
  });

  test("lets go without the repository when told to, loudly", () => {
    const decision = decide({
      backup: going(SKIP),
      deletion: err(blocked("RepositoryNotFound", "m")),
    });
    expect(decision.intents).toEqual(LET_GO);
    expect(decision.events).toMatchObject([
      { type: "Warning", reason: "SnapshotOrphaned", message: expect.stringContaining("k1") },
    ]);
  });

  test("Orphan notes that the snapshots stay, then lets go", () => {
    const decision = decide({ policy: "Orphan" });
    expect(decision).toMatchObject({ status: { phase: "Deleting", orphaned: true }, intents: LET_GO });
  });

  test("waits for a run that still works, and keeps what it made by then", () => {
    const ending = { status: { phase: "Running" as const, snapshots: [] }, intents: [], wakeAt: NOW + 1 };
    expect(decide({ ending })).toEqual({
      status: { phase: "Deleting", snapshots: [] },
      intents: [],
      wakeAt: NOW + 1,
    });
  });

  test("is Deleting while the snapshots are deleted", () => {
    const decision = decide({ deletion: ok(taskPlan("delete-1", working, { wakeAt: NOW + 2 })) });
    expect(decision).toMatchObject({
      status: { phase: "Deleting", work: { "delete-1": {} } },
      intents: [],
      wakeAt: NOW + 2,
    });
  });

  test.each([
    [
      "is tried again",
      { phase: "BackingOff", failure: UNREACHABLE, until: AT } as const,
      "Unreachable",
      "Reconciling",
    ],
    ["needs an edit", failed(WRONG_PASSWORD), "WrongPassword", "Stalled"],
  ])("a deletion that failed and %s holds the Backup, with a reason", (_, state, reason, type) => {
    const decision = decide({ deletion: ok(taskPlan("delete-1", state)) });
    expect(decision.intents).toEqual([]);
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "SnapshotDeletionFailed", status: "True", reason }),
    );
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({ type, status: "True", reason }),
    );
  });

  test("a deletion that failed for good is looked at again, and says so", () => {
    const record = { attempt: 1, step: "Work", failures: 1, edition: AT, outcome: "Failed" } as const;
    const wakeAt = (now: number) =>
      decide({ deletion: ok(taskPlan("delete-1", failed(WRONG_PASSWORD), { record })), now }).wakeAt;
    expect(wakeAt(NOW + 60_000)).toBe(NOW + HOUR);
    // While it is due and the repository is not ready.
    expect(wakeAt(NOW + 2 * HOUR)).toBe(NOW + 2 * HOUR + 300_000);
    const { status: said } = decide({
      deletion: ok(taskPlan("delete-1", failed(WRONG_PASSWORD), { record })),
    });
    expect(said?.conditions).toContainEqual(
      expect.objectContaining({
        type: "SnapshotDeletionFailed",
        message: expect.stringContaining("It is tried again every hour while the repository is ready"),
      }),
    );
  });

  test("a repository that is away blocks with a reason", () => {
    const decision = decide({ deletion: err(blocked("RepositoryNotFound", "it is gone")) });
    expect(decision).toMatchObject({ status: { phase: "Deleting" }, intents: [], wakeAt: NOW + 300_000 });
    expect(decision.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "SnapshotDeletionFailed",
        reason: "RepositoryNotFound",
        message: "it is gone",
      }),
    );
  });

  test("without our finalizer there is nothing to do", () => {
    expect(decide({ backup: backup({ metadata: { deletionTimestamp: AT, finalizers: [] } }) })).toEqual({
      intents: [],
    });
  });
});

describe("toDelete()", () => {
  const work = { snapshot: { attempt: 2, step: "Work", failures: 1, leftovers: ["run-0"] } };

  test("is what the status names, and what attempts left behind", () => {
    expect(toDelete(backup({ status: { ...status, work } }), new Set())).toEqual({
      snapshots: [
        {
          id: "k1",
          run: "run-1",
          root: "r1",
          identity: { username: "data", hostname: "billing", path: "/pvc/data" },
        },
      ],
      runs: ["run-0"],
    });
  });

  test("is also what runs made late whose end nobody saw, but for the one that counts", () => {
    const [first = "", second = ""] = [1, 2].map((n) => attemptId(task("snapshot"), n));
    const unseen = [first, second];
    const record = { attempt: 2, step: "Work", failures: 1, outcome: "Succeeded", unseen };
    const snapshots = status.snapshots.map((one) => ({ ...one, runID: second }));
    const late = backup({ status: { ...status, snapshots, work: { snapshot: record } } });
    expect(toDelete(late, new Set())).toMatchObject({ runs: [first] });
    expect(toDelete(late, new Set(["k1"]))).toEqual({ snapshots: [], runs: [first] });
  });

  test("leaves alone what another Backup names", () => {
    expect(toDelete(backup({ status }), new Set(["k1"]))).toBeUndefined();
    expect(toDelete(backup({ status: { ...status, work } }), new Set(["k1"]))).toEqual({
      snapshots: [],
      runs: ["run-0"],
    });
  });

  test("is nothing where nothing was made", () => {
    expect(toDelete(backup(), new Set())).toBeUndefined();
    expect(toDelete(backup({ status: { phase: "Failed" } }), new Set())).toBeUndefined();
  });
});

describe("deletionEdition()", () => {
  const begun = { attempt: 1, step: "Work", failures: 1, edition: AT } as const;
  const over = { ...begun, outcome: "Failed" } as const;
  const isAnother = (record: RunRecord, ready: boolean, now: number) =>
    renewed(record, deletionEdition(record, ready, now)) !== record;

  test("names the time at which a deletion is begun", () => {
    expect(deletionEdition(undefined, true, NOW)).toBe(AT);
  });

  test.each<[string, RunRecord, boolean, number]>([
    ["failed an hour ago", over, true, NOW + HOUR],
    ["failed, before the clock was set back by days", over, true, NOW - 48 * HOUR],
  ])("what %s is begun again", (_, record, ready, now) => {
    expect(isAnother(record, ready, now)).toBe(true);
  });

  test.each<[string, RunRecord, boolean, number]>([
    ["failed just now", over, true, NOW + HOUR - 1000],
    ["failed on a repository that is not ready", over, false, NOW + 5 * HOUR],
    ["waits for its next attempt", begun, true, NOW + 5 * HOUR],
    ["succeeded", { ...over, outcome: "Succeeded" }, true, NOW + 5 * HOUR],
  ])("what %s is not begun again", (_, record, ready, now) => {
    expect(isAnother(record, ready, now)).toBe(false);
  });

  test("what is begun again is a new attempt, and waits for another hour if that fails too", () => {
    const later = NOW + HOUR;
    const again = renewed(over, deletionEdition(over, true, later));
    expect(again).toEqual({ attempt: 2, step: "Work", failures: 0, edition: timestamp(later) });
    const failedAgain = { ...again, outcome: "Failed" } as const;
    expect(isAnother(failedAgain, true, later + 60_000)).toBe(false);
    expect(isAnother(failedAgain, true, later + HOUR)).toBe(true);
  });
});

test("an edit of a Backup begins another deletion", () => {
  expect(deletePurpose(going())).not.toBe(deletePurpose(going({ [`${GROUP}/hold`]: "false" })));
});

test("one that is held keeps its snapshots, and says so", () => {
  const held = going({ [`${GROUP}/hold`]: "true" });
  const decision = decide({ backup: held, deletion: ok(taskPlan("delete", working)) });
  expect(decision.intents).toEqual(LET_GO);
  expect(decision.events).toMatchObject([
    {
      type: "Warning",
      message: expect.stringMatching(/\/hold keeps its snapshots.*The repository keeps k1/),
    },
  ]);
});
