import { describe, expect, test } from "vitest";
import type { StagingState } from "../../../core/volumes/staging/staging_decision.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { err, ok } from "../../../lib/result.ts";
import { waits } from "../problem.ts";
import { readyRepository } from "../references.ts";
import {
  AT,
  backup,
  failed,
  NOW,
  outlook,
  readyConfig,
  readyNas,
  repository,
  snapshot,
  succeeded,
  UNREACHABLE,
  WRONG_PASSWORD,
  working,
} from "../testing/samples.ts";
import { backupLabels } from "./backup_labels.ts";
import type { Copies } from "./copies.ts";
import { decideBackup } from "./decide_backup.ts";
import { type Frozen, freeze, frozenOf } from "./frozen.ts";

const claims = new Map<string, KubeObject>([["billing/data", backup()]]);

function freezing(more: Partial<Parameters<typeof freeze>[0]> = {}) {
  const nas = readyRepository(readyNas(), "billing/nas" as never);
  return freeze({ backup: backup(), config: readyConfig(), repository: nas, claims, ...more });
}

const whole = () => {
  const frozen = freezing();
  if (!frozen.ok) throw new Error(frozen.error.message);
  return frozen.value;
};
const labels = backupLabels(backup(), whole());
const held = (status?: object) => backup({ metadata: { labels }, ...(status ? { status } : {}) });

function decide(state: TaskState, object = held(), more: Parameters<typeof outlook>[2] = {}) {
  return decideBackup({
    backup: object,
    frozen: ok(whole()),
    run: ok(outlook("snapshot", state, more)),
    now: NOW,
  });
}

const conditionOf = (decision: ReturnType<typeof decide>, type: string) =>
  decision.status?.conditions?.find((one) => one.type === type);

describe("freeze()", () => {
  test("keeps all that a run needs, whatever becomes of the recipe", () => {
    const object = backup({ spec: { failurePolicy: { backoffLimit: 5 } } });
    const frozen = freezing({ backup: object });
    expect(frozen).toEqual({
      ok: true,
      value: {
        repository: {
          kind: "Repository",
          name: "nas",
          namespace: "billing",
          uid: "uid-nas",
          uniqueID: "id-1",
        },
        engine: "kopia",
        configUID: "uid-data",
        configGeneration: 1,
        copyMethod: "Direct",
        deletionPolicy: "Delete",
        sources: [{ pvc: "billing/data", sourcePath: "/pvc/data", uid: "uid-first" }],
        identity: { username: "data", hostname: "billing" },
        recipe: {
          policy: { fidelity: "Full", unreadableFiles: "Fail" },
          failurePolicy: { backoffLimit: 5, activeDeadlineSeconds: 7200 },
          copyMethod: "Direct",
          groupBy: "VolumeGroupSnapshot",
          staging: { timeout: "10m" },
        },
      } satisfies Frozen,
    });
    expect(frozenOf({ resolved: frozen.ok ? frozen.value : {} })).toBeDefined();
    expect(frozenOf({ resolved: { engine: "kopia" } })).toBeUndefined();
  });

  test.each([
    ["there is no recipe", { config: undefined }, "ConfigNotFound"],
    [
      "the recipe is going",
      { config: readyConfig({ metadata: { deletionTimestamp: AT } }) },
      "ConfigNotFound",
    ],
    ["the recipe cannot be run", { config: readyConfig({ status: { phase: "Failed" } }) }, "ConfigNotReady"],
    [
      "the recipe was edited just now",
      { config: readyConfig({ metadata: { generation: 2 } }) },
      "ConfigNotReady",
    ],
    [
      "the repository is not ready",
      { repository: readyRepository(repository(), "billing/nas" as never) },
      "RepositoryNotReady",
    ],
    ["the claim is not there", { claims: new Map() }, "SourceNotFound"],
    [
      "the claim is going",
      { claims: new Map([["billing/data", backup({ metadata: { deletionTimestamp: AT } })]]) },
      "SourceNotFound",
    ],
  ])("waits while %s", (_, more, reason) => {
    expect(freezing(more)).toMatchObject({ ok: false, error: { reason } });
  });

  test("a Backup's own deletion policy wins over the recipe's", () => {
    expect(freezing({ backup: backup({ spec: { deletionPolicy: "Retain" } }) })).toMatchObject({
      value: { deletionPolicy: "Retain" },
    });
  });
});

describe("decideBackup()", () => {
  test("without its recipe it is pending, and says why", () => {
    const frozen = err(waits("ConfigNotFound", "there is none"));
    const decision = decideBackup({ backup: backup(), frozen, now: NOW });
    expect(decision).toMatchObject({
      status: { phase: "Pending", origin: "manual" },
      intents: [],
      wakeAt: NOW + 30_000,
    });
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "False", reason: "ConfigNotFound" });
  });

  test.each([
    ["its finalizer", { labels, finalizers: [] }],
    ["its labels", { labels: {} }],
  ])("nothing begins before it has %s", (_, metadata) => {
    const run = ok(outlook("snapshot", working, { intents: [{ type: "Remove", job: {} as never }] }));
    const decision = decideBackup({ backup: backup({ metadata }), frozen: ok(whole()), run, now: NOW });
    expect(decision.status).toBeUndefined();
    expect(decision.intents).toEqual([
      { type: "Hold", finalizer: "kopiur.home-operations.com/snapshot-cleanup", labels },
    ]);
  });

  test("its labels say whose it is", () => {
    expect(labels).toEqual({
      [LABELS.origin]: "manual",
      [LABELS.backupConfig]: "data",
      [LABELS.repository]: "nas",
      [LABELS.repositoryUID]: "uid-nas",
      [LABELS.identityHash]: expect.stringMatching(/^[0-9a-z]{12}$/),
    });
    const scheduled = backup({ metadata: { labels: { [LABELS.backupSchedule]: "nightly" } } });
    expect(backupLabels(scheduled, whole())[LABELS.origin]).toBe("scheduled");
  });

  test("the recipe is kept in the status that is written before the run begins", () => {
    const state: TaskState = { phase: "Working", run: "run-1", state: { phase: "Absent" } };
    const request = {} as never;
    const decision = decide(state, held(), { intents: [{ type: "Ensure", request }], wakeAt: NOW + 5 });
    expect(decision.status).toMatchObject({
      phase: "Pending",
      resolved: whole(),
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
      kopiaSnapshotID: "k1",
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
    expect(decision.status?.resolved).toEqual({
      ...whole(),
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
    const request = { phase: "Held", reason: "SnapshotPending", message: "It is taken." } as const;
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
        frozen: ok(whole()),
        run: ok(outlook("snapshot", request, { wakeAt: NOW + 60_000 })),
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
      ["the run has ended", ok(outlook("snapshot", { ...succeeded(undefined), result: undefined } as never))],
      ["its repository is gone", err(waits("RepositoryNotFound", "m"))],
    ])("what was staged is removed when %s", (_, run) => {
      const decision = decideBackup({
        backup: held({ phase: "Succeeded", work: { staging: memory } }),
        frozen: ok(whole()),
        run,
        copies: { phase: "Over", cleaning: { intents: [intent], done: false, unseen: [] } },
        now: NOW,
      });
      expect(decision.intents).toContainEqual({ type: "Stage", intents: [intent] });
    });
  });
});

describe("a Backup that is cancelled before it has a run", () => {
  const annotations = { [ANNOTATIONS.cancel]: "true" };
  const gone = err(waits("RepositoryNotFound", "It does not exist."));
  const CANCELLED = { phase: "Failed", work: { snapshot: { outcome: "Cancelled" } } };

  test("ends although its recipe cannot be resolved", () => {
    const observed = { backup: backup({ metadata: { annotations } }), frozen: gone, now: NOW };
    const decision = decideBackup(observed);
    expect(decision.status).toMatchObject(CANCELLED);
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "False", reason: "Cancelled" });
    expect(conditionOf(decision, "Stalled")?.status).toBe("True");
    expect(decision.wakeAt).toBeUndefined();
  });

  test("ends although its repository is gone, but not while a mover may still run", () => {
    const object = (work?: object) => backup({ metadata: { labels, annotations }, status: { work } });
    const frozen = ok(whole());
    expect(decideBackup({ backup: object(), frozen, run: gone, now: NOW }).status).toMatchObject(CANCELLED);
    const running = object({ snapshot: { attempt: 1, step: "Work", failures: 0, job: "uid-job" } });
    const decision = decideBackup({ backup: running, frozen, run: gone, now: NOW });
    expect(conditionOf(decision, "Ready")?.reason).toBe("RepositoryNotFound");
  });
});

test("a Backup that has succeeded stays as it is when its repository is gone", () => {
  const work = { snapshot: { attempt: 1, step: "Work", failures: 0, job: "uid-job", outcome: "Succeeded" } };
  const object = held({ phase: "Succeeded", work });
  const run = err(waits("RepositoryNotFound", "It does not exist."));
  expect(decideBackup({ backup: object, frozen: ok(whole()), run, now: NOW })).toEqual({ intents: [] });
});

test("the log of an attempt that failed is kept until one succeeds", () => {
  const failedBefore = held({ phase: "Running", logTail: "it failed" });
  expect(decide(working, failedBefore).status?.logTail).toBe("it failed");
  const made = { source: "data", snapshot: snapshot(), unchanged: false, losses: [], unreadable: [] };
  const done = { ...succeeded({ snapshot: { snapshots: [made] } }), logTail: ["all is well"] } as TaskState;
  const { status } = decide(done, failedBefore);
  expect(status?.phase).toBe("Succeeded");
  expect(status).not.toHaveProperty("logTail");
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
