import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import { blocked, waits } from "../reconcile/problem.ts";
import {
  AT,
  failed,
  GROUP,
  NOW,
  snapshot,
  succeeded,
  taskPlan,
  UNREACHABLE,
  WRONG_PASSWORD,
  working,
} from "../testing/samples.ts";
import type { StagingState } from "../volumes/staging/staging_decision.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { Copies } from "./copies.ts";
import { decideBackup } from "./decide_backup.ts";
import { backup, FINALIZER, LABELS, PLAN, request } from "./testing/backup_samples.ts";

const held = (status?: object) => backup(status ? { status } : {});

function decide(state: TaskState, object = held(), more: Parameters<typeof taskPlan>[2] = {}) {
  return decideBackup({
    backup: object,
    request: ok(request(object)),
    run: ok(taskPlan("snapshot", state, more)),
    now: NOW,
  });
}

const conditionOf = (decision: ReturnType<typeof decide>, type: string) =>
  decision.status?.conditions?.find((one) => one.type === type);

describe("decideBackup()", () => {
  test("without a plan it is pending, and says why", () => {
    const plan = err(waits("ConfigNotFound", "there is none"));
    const decision = decideBackup({ backup: backup(), request: plan, now: NOW });
    expect(decision).toMatchObject({
      status: { phase: "Pending" },
      intents: [],
      wakeAt: NOW + 30_000,
    });
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "False", reason: "ConfigNotFound" });
  });

  const minutes = (number: number) => new Date(NOW - number * 60_000).toISOString();

  test.each<[string, string | undefined, object | undefined, "Pending" | "Failed", object?]>([
    ["just now", undefined, undefined, "Pending"],
    ["for nine minutes", minutes(9), undefined, "Pending"],
    ["for ten minutes", minutes(10), undefined, "Failed"],
    ["for ten minutes, which it may", minutes(10), { startDeadlineSeconds: 601 }, "Pending"],
    ["for two minutes, which it may not", minutes(2), { startDeadlineSeconds: 120 }, "Failed"],
    ["for two minutes, which is all it has", minutes(2), { activeDeadlineSeconds: 120 }, "Failed"],
    ["for two minutes of three", minutes(2), { activeDeadlineSeconds: 180 }, "Pending"],
    [
      "for a minute, after an attempt",
      minutes(1),
      { activeDeadlineSeconds: 180 },
      "Failed",
      { attempt: 2, failures: 1, startedAt: minutes(3) },
    ],
  ])("a run that cannot be made %s", (_, blockedSince, patience = {}, phase, more = {}) => {
    const since = blockedSince ? { blockedSince } : {};
    const record = { attempt: 1, step: "Work", failures: 0, ...since, ...more };
    const object = held({ work: { snapshot: record } });
    const { failurePolicy } = PLAN.settings;
    const decision = decideBackup({
      backup: object,
      request: ok(request(object, { failurePolicy: { ...failurePolicy, ...patience } })),
      run: err(blocked("NoWorkloadPod", "No pod runs.")),
      blocked: true,
      now: NOW,
    });
    expect(decision.status).toMatchObject({
      phase,
      work: { snapshot: { blockedSince: blockedSince ?? minutes(0) } },
    });
    expect(conditionOf(decision, "Ready")?.reason).toBe("NoWorkloadPod");
    expect(decision.status?.failure !== undefined).toBe(phase === "Failed");
    expect(decision.wakeAt !== undefined).toBe(phase === "Pending");
  });

  test("what stands before the run may last as long as it will", () => {
    const record = { attempt: 1, step: "Work", failures: 0, blockedSince: minutes(100) };
    const object = held({ work: { snapshot: record } });
    const run = err(blocked("RepositoryNotFound", "There is none."));
    const decision = decideBackup({ backup: object, request: ok(request(object)), run, now: NOW });
    expect(decision.status).toMatchObject({ phase: "Pending" });
  });

  test.each([
    ["its finalizer", { finalizers: [] }],
    ["its labels", { labels: {} }],
  ])("nothing begins before it has %s", (_, metadata) => {
    const run = ok(taskPlan("snapshot", working, { intents: [{ type: "Remove", job: {} as never }] }));
    const object = backup({ metadata });
    const decision = decideBackup({ backup: object, request: ok(request(object)), run, now: NOW });
    expect(decision.status).toBeUndefined();
    expect(decision.intents).toEqual([{ type: "Hold", finalizer: FINALIZER, labels: LABELS }]);
  });

  test("the plan is kept in the status that is written before the run begins", () => {
    const state: TaskState = { phase: "Working", run: "run-1", state: { phase: "Absent" } };
    const decision = decide(state, held(), {
      intents: [{ type: "Ensure", request: {} as never }],
      wakeAt: NOW + 5,
    });
    expect(decision.status).toMatchObject({
      phase: "Pending",
      plan: PLAN,
      work: { snapshot: { attempt: 1 } },
    });
    expect(decision.intents).toMatchObject([{ type: "Run" }]);
    expect(decision.wakeAt).toBe(NOW + 5);
  });

  test("a run that was let go shows when it began, and how far it is", () => {
    const progress = { version: 1, step: "snapshot", bytes: 30, estimatedBytes: 120, files: 2 } as const;
    const state: TaskState = { ...working, state: { ...working.state, progress } };
    const decision = decide(state, held(), { record: { startedAt: "2026-05-24T02:10:00.123Z" } });
    expect(decision.status).toMatchObject({
      phase: "Running",
      timing: { startTime: "2026-05-24T02:10:00Z" },
      progress: { percent: 25, bytes: 30, estimatedBytes: 120, files: 2, updatedAt: AT },
      job: { attempts: 1, image: "holdfast/mover:1" },
    });
  });

  test.each([
    ["a second ago stays", "2026-05-24T02:12:59Z", 1],
    ["five seconds ago makes way", "2026-05-24T02:12:55Z", 2],
    ["in the future, before the clock was set back, makes way", "2026-05-24T03:00:00Z", 2],
  ])("progress of %s", (_, updatedAt, files) => {
    const progress = { version: 1, step: "snapshot", files: 2 } as const;
    const state: TaskState = { ...working, state: { ...working.state, progress } };
    const decision = decide(state, held({ progress: { files: 1, updatedAt } }));
    expect(decision.status?.progress?.files).toBe(files);
  });

  test("a success says what was made", () => {
    const made = {
      source: "billing/data",
      snapshot: snapshot(),
      unchanged: false,
      addedBytes: 120,
      losses: [],
      unreadable: [],
    };
    const record = { startedAt: "2026-05-24T02:12:00.000Z" };
    const decision = decide(
      succeeded({ snapshot: { snapshots: [made] } }),
      held({ progress: { files: 1 } }),
      { record },
    );
    const entry = {
      id: "k1",
      root: "root-1",
      runID: "run-1",
      identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data" },
      pvc: "billing/data",
      sizeBytes: 300,
      fidelity: "Full",
    };
    expect(decision.status).toMatchObject({
      phase: "Succeeded",
      snapshot: entry,
      snapshots: [entry],
      stats: { sizeBytes: 300, bytesNew: 120, files: 3, folders: 1, filesFailed: 0 },
      timing: { startTime: "2026-05-24T02:12:00Z", endTime: AT, durationSeconds: 60 },
    });
    expect(decision.status?.progress).toBeUndefined();
    expect(decision.status?.plan).toEqual({
      ...PLAN,
      sources: [{ pvc: "billing/data", sourcePath: "/pvc/data" }],
    });
    expect(conditionOf(decision, "SnapshotCreated")).toMatchObject({ status: "True" });
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "True", reason: "Succeeded" });
    expect(decision.events).toEqual([
      { type: "Normal", reason: "Succeeded", message: "The snapshot k1 was made." },
    ]);
  });

  test("a success without files that it was allowed to leave out says how many, and some of them", () => {
    const made = {
      source: "billing/data",
      snapshot: snapshot({ failedFiles: 7 }),
      unchanged: false,
      losses: [],
      unreadable: ["a/closed", "b"],
    };
    const decision = decide(succeeded({ snapshot: { snapshots: [made] } }));
    expect(decision.status).toMatchObject({ phase: "Succeeded", stats: { filesFailed: 7 } });
    expect(conditionOf(decision, "Ready")).toMatchObject({
      status: "True",
      message:
        "The snapshot k1 was made. 7 files could not be read, and were left out: a/closed, b and 5 more.",
    });
  });

  test("a success that wrote nothing refers to the earlier snapshot", () => {
    const made = {
      source: "billing/data",
      snapshot: snapshot({ run: "run-0" }),
      unchanged: true,
      losses: [],
      unreadable: [],
    };
    const decision = decide(succeeded({ snapshot: { snapshots: [made] } }));
    expect(decision.status).toMatchObject({
      phase: "Succeeded",
      snapshot: { unchanged: true, runID: "run-0" },
    });
    expect(conditionOf(decision, "Unchanged")).toMatchObject({ status: "True" });
  });

  test("what its mover did otherwise than asked is said with the success", () => {
    const made = {
      source: "billing/data",
      snapshot: snapshot(),
      unchanged: false,
      losses: [],
      unreadable: [],
    };
    const decision = decide(
      succeeded({ snapshot: { snapshots: [made] } }, { warnings: ["The cache was elsewhere."] }),
    );
    const message = "The snapshot k1 was made. The cache was elsewhere.";
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "True", message });
    expect(decision.events).toEqual([{ type: "Warning", reason: "Succeeded", message }]);
  });

  test("what will not come back is counted", () => {
    const loss = (kind: "HardLink" | "Fifo", count: number) => ({
      kind,
      count,
      examples: ["a"],
      reason: "r",
    });
    const made = {
      source: "billing/data",
      snapshot: snapshot({ fidelity: "Engine" }),
      unchanged: false,
      losses: [loss("HardLink", 2), loss("HardLink", 3), loss("Fifo", 1)],
      unreadable: [],
    };
    const decision = decide(succeeded({ snapshot: { snapshots: [made] } }));
    expect(decision.status?.losses).toEqual([
      { kind: "HardLink", count: 5, reason: "r", examples: ["a", "a"] },
      { kind: "Fifo", count: 1, reason: "r", examples: ["a"] },
    ]);
  });

  test("a failed attempt that is tried again shows why", () => {
    const until = "2026-05-24T02:14:00.000Z";
    const decision = decide({ phase: "BackingOff", failure: UNREACHABLE, until }, held(), {
      record: { attempt: 2, failedAttempt: 1, startedAt: "2026-05-24T02:10:00Z", notBefore: until },
    });
    expect(decision.status).toMatchObject({
      phase: "Running",
      failure: { errorClass: "Unreachable", attempt: 1 },
      job: { attempts: 2, nextAttemptAt: "2026-05-24T02:14:00Z" },
    });
  });

  test("a failure for good says class, cause and remedy", () => {
    const decision = decide(failed(WRONG_PASSWORD));
    expect(decision.status).toMatchObject({
      phase: "Failed",
      failure: {
        errorClass: "WrongPassword",
        message: "the password is wrong",
        remedy: "Correct it.",
        retry: "terminal",
      },
      logTail: "last line",
    });
    expect(conditionOf(decision, "Stalled")).toMatchObject({ status: "True", reason: "WrongPassword" });
    expect(decision.status?.snapshots).toBeUndefined();
  });

  test("what has ended is not written again, and only tidied up", () => {
    const ended: TaskState = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: false };
    const intents = [{ type: "Remove", job: {} as never }] as const;
    const decision = decide(ended, held({ phase: "Succeeded" }), { intents });
    expect(decision.status).toBeUndefined();
    expect(decision.intents).toMatchObject([{ type: "Run", decision: { intents } }]);
  });

  describe("before its mover can read", () => {
    const waiting = { phase: "Held", reason: "SnapshotPending", message: "It is taken." } as const;
    const memory = { edition: "e1", since: AT, failures: 0 };
    const intent = { type: "Delete" } as never;
    const copies = (state: StagingState, failures = 0): Copies => ({
      phase: "Staging",
      memory: { ...memory, failures },
      decision: { state, intents: [intent], wakeAt: NOW + 7 },
    });
    const staging = (state: StagingState, failures?: number) =>
      decideBackup({
        backup: held(),
        request: ok(request()),
        run: ok(taskPlan("snapshot", waiting, { wakeAt: NOW + 60_000 })),
        copies: copies(state, failures),
        now: NOW,
      });
    const refusal = { class: "transient", reason: "CopyTimedOut", message: "Too long." } as const;

    test("it says what it waits for, and remembers it before anything is made", () => {
      const decision = staging({ phase: "Waiting", captured: false, reason: "r", message: "m" });
      expect(decision).toMatchObject({
        status: { phase: "Pending", work: { snapshot: { attempt: 1 }, staging: memory } },
        intents: [{ type: "Stage", intents: [intent] }],
        wakeAt: NOW + 7,
      });
      expect(conditionOf(decision, "Ready")).toMatchObject({ status: "False", reason: "SnapshotPending" });
    });

    test("what was given up is tried again", () => {
      const decision = staging({ phase: "Refused", ...refusal });
      expect(decision.status).toMatchObject({
        phase: "Pending",
        failure: { errorClass: "CopyTimedOut", attempt: 1 },
        work: { staging: { failures: 1 } },
      });
      expect(conditionOf(decision, "Reconciling")).toMatchObject({ reason: "CopyTimedOut" });
    });

    test("what was given up once too often has failed", () => {
      const decision = staging({ phase: "Refused", ...refusal }, 2);
      expect(decision.status).toMatchObject({
        phase: "Failed",
        work: { snapshot: { outcome: "Failed" }, staging: { failures: 3 } },
      });
      expect(conditionOf(decision, "Stalled")).toMatchObject({ status: "True", reason: "CopyTimedOut" });
    });

    test("what was staged is remembered while the run goes on", () => {
      const status = { phase: "Running", work: { staging: memory } };
      expect(decide(working, held(status)).status?.work).toMatchObject({ staging: memory });
    });

    test.each([
      [
        "the run has ended",
        ok(taskPlan("snapshot", { ...succeeded(undefined), result: undefined } as never)),
      ],
      ["its repository is gone", err(waits("RepositoryNotFound", "m"))],
    ])("what was staged is removed when %s", (_, run) => {
      const decision = decideBackup({
        backup: held({ phase: "Succeeded", work: { staging: memory } }),
        request: ok(request()),
        run,
        copies: { phase: "Over", cleaning: { intents: [intent], done: false, unseen: [] } },
        now: NOW,
      });
      expect(decision.intents).toContainEqual({ type: "Stage", intents: [intent] });
    });
  });
});

describe("a Backup that is cancelled before it has a run", () => {
  const annotations = { [`${GROUP}/cancel`]: "true" };
  const gone = err(waits("RepositoryNotFound", "It does not exist."));
  const CANCELLED = { phase: "Failed", work: { snapshot: { outcome: "Cancelled" } } };

  test("ends although there is no plan", () => {
    const observed = { backup: backup({ metadata: { annotations } }), request: gone, now: NOW };
    const decision = decideBackup(observed);
    expect(decision.status).toMatchObject(CANCELLED);
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "False", reason: "Cancelled" });
    expect(conditionOf(decision, "Stalled")?.status).toBe("True");
    expect(decision.wakeAt).toBeUndefined();
  });

  test("ends although its repository is gone, but not while a mover may still run", () => {
    const object = (work?: object) => backup({ metadata: { annotations }, status: { work } });
    const asked = ok(request());
    expect(decideBackup({ backup: object(), request: asked, run: gone, now: NOW }).status).toMatchObject(
      CANCELLED,
    );
    const running = object({ snapshot: { attempt: 1, step: "Work", failures: 0, job: "uid-job" } });
    const decision = decideBackup({ backup: running, request: asked, run: gone, now: NOW });
    expect(conditionOf(decision, "Ready")?.reason).toBe("RepositoryNotFound");
  });
});

test("a Backup that has succeeded stays as it is when its repository is gone", () => {
  const work = { snapshot: { attempt: 1, step: "Work", failures: 0, job: "uid-job", outcome: "Succeeded" } };
  const object = held({ phase: "Succeeded", work });
  const run = err(waits("RepositoryNotFound", "It does not exist."));
  expect(decideBackup({ backup: object, request: ok(request()), run, now: NOW })).toEqual({ intents: [] });
});

test("the log of an attempt that failed is kept until one succeeds, and leaves a short one", () => {
  const failedBefore = held({ phase: "Running", logTail: "it failed" });
  expect(decide(working, failedBefore).status?.logTail).toBe("it failed");
  const made = { source: "data", snapshot: snapshot(), unchanged: false, losses: [], unreadable: [] };
  const logged = (...logTail: string[]) =>
    decide({ ...succeeded({ snapshot: { snapshots: [made] } }), logTail } as TaskState, failedBefore).status;
  expect(logged("all is well")).toMatchObject({ phase: "Succeeded", logTail: "all is well" });
  expect(logged("x".repeat(3000))?.logTail).toHaveLength(1024);
  expect(logged()).not.toHaveProperty("logTail");
});

test("the last 4 KiB of the log of a failed attempt are shown", () => {
  const lines = Array.from({ length: 40 }, (_, i) => `${i} ${"x".repeat(150)}`);
  const { status } = decide(
    { ...failed(WRONG_PASSWORD), logTail: lines } as TaskState,
    held({ phase: "Running" }),
  );
  expect(status?.logTail).toHaveLength(4096);
  expect(status?.logTail?.endsWith(lines.at(-1) ?? "")).toBe(true);
});
