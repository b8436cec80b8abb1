import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import type { EngineFailure } from "../../wire/engine_error.ts";
import type { Answer, Result } from "../../wire/report.ts";
import { refused, waits } from "../reconcile/problem.ts";
import {
  GROUP,
  NOW,
  result,
  succeeded,
  taskPlan,
  UNREACHABLE,
  WRONG_PASSWORD,
  working,
} from "../testing/samples.ts";
import type { TaskState } from "../work/task_decision.ts";
import { decideMaintenance, type ObservedMaintenance } from "./decide_maintenance.ts";
import type { MaintenanceSpec, MaintenanceState } from "./maintenance.ts";
import { type MaintenanceRun, MEMORY, purposeOf } from "./maintenance_run.ts";
import { sampleMaintenance, scheduled, takingOver } from "./testing/sample_maintenance.ts";

const FULL: MaintenanceRun = { mode: "Full", step: "Maintain", cause: "2026-05-24T03:00:00.000Z" };
const CHECK: MaintenanceRun = { ...FULL, step: "Check" };
const QUICK: MaintenanceRun = { ...FULL, mode: "Quick" };
const OURS = "here/nas";
const OTHER: EngineFailure = {
  class: "OwnedByAnother",
  message: "somebody@else is its maintainer",
  remedy: "Let it.",
};
const CORRUPT: EngineFailure = { class: "Corrupt", message: "pack p1 is damaged", remedy: "Keep it." };

const NEXT = { quick: { slot: NOW + 1000, at: NOW + 2000 }, full: { slot: NOW + 5000, at: NOW + 5000 } };
const MARKS = { quick: { slot: NOW - 9_000_000, cron: "q" }, full: { slot: NOW - 9_000, cron: "f" } };

interface Case {
  readonly run?: MaintenanceRun;
  readonly state?: TaskState;
  readonly spec?: Partial<MaintenanceSpec>;
  readonly status?: MaintenanceState;
  readonly observed?: Partial<ObservedMaintenance>;
  readonly startedAt?: undefined;
}

function decide(one: Case = {}) {
  const { run, state, spec = {}, status, observed } = one;
  const startedAt = "startedAt" in one ? {} : { startedAt: "2026-05-24T02:12:00Z" };
  const maintenance = sampleMaintenance({ spec, ...(status ? { status } : {}) });
  const memory = { marks: MARKS, suspended: false, ...(run ? { turn: run } : {}) };
  const plan = { memory, fresh: false, missed: {}, decided: !run, next: NEXT };
  const more = { record: { ...startedAt, ...(state?.phase === "Ended" ? {} : { attempt: 1 }) }, wakeAt: NOW };
  const task = run && state ? { task: ok(taskPlan(purposeOf(run), state, more)) } : {};
  const base = {
    maintenance,
    stopped: false,
    plan,
    ...task,
    maintainer: true,
    resume: "Resume it.",
    now: NOW,
  };
  return decideMaintenance({ ...base, ...observed });
}

function ended(failure: EngineFailure, answer?: Answer): TaskState {
  const more: Partial<Result> = { failure, ...(answer ? { answer } : {}) };
  return { phase: "Ended", outcome: "Failed", result: result(more), logTail: ["last line"], settled: false };
}

const condition = ({ status }: ReturnType<typeof decide>, type: string) =>
  status?.conditions?.find((one) => one.type === type);
const runAfter = ({ status }: ReturnType<typeof decide>) =>
  (status?.work as { readonly [MEMORY]: { readonly turn?: MaintenanceRun } } | undefined)?.[MEMORY].turn;

describe("while nothing runs", () => {
  test("it says when the next run is due, and sleeps until then", () => {
    const decision = decide();
    expect(decision).toMatchObject({ intents: [], wakeAt: NEXT.quick.at });
    expect(decision.status).toMatchObject({
      phase: "Ready",
      quick: { nextScheduledAt: "2026-05-24T02:13:02Z" },
      full: { nextScheduledAt: "2026-05-24T02:13:05Z" },
    });
    expect(condition(decision, "Ready")).toMatchObject({
      status: "True",
      reason: "Scheduled",
      message: expect.stringContaining("a quick one, begins at 2026-05-24T02:13:02Z"),
    });
    expect(condition(decision, "OwnershipClaimed")).toMatchObject({ status: "Unknown" });
  });

  test("what was due before and is suspended now says so, and when it was due is gone", () => {
    const plan = {
      memory: { marks: {}, suspended: true },
      fresh: false,
      missed: {},
      decided: true,
      next: {},
    };
    const decision = decide({
      spec: scheduled({ suspend: true }),
      status: {
        quick: { nextScheduledAt: "2026-05-24T00:00:00Z" },
        full: { lastRunAt: "2026-05-17T03:00:00Z" },
      },
      observed: { plan },
    });
    expect(decision.status).toMatchObject({
      phase: "Suspended",
      full: { lastRunAt: "2026-05-17T03:00:00Z" },
    });
    expect(decision.status?.quick).toBeUndefined();
    expect(decision.wakeAt).toBeUndefined();
    expect(condition(decision, "Ready")).toMatchObject({ status: "True", reason: "Suspended" });
  });

  test("a repository that is not there yet is waited for", () => {
    const problem = waits("RepositoryNotFound", "It is not there.");
    const decision = decide({ observed: { problem } });
    expect(decision.status?.phase).toBe("Pending");
    expect(decision.wakeAt).toBe(NOW + 30_000);
    expect(condition(decision, "Reconciling")).toMatchObject({ reason: "RepositoryNotFound" });
  });

  test("a rule that is broken stalls it", () => {
    const decision = decide({ observed: { problem: refused("SecondMaintenance", "There is one.") } });
    expect(decision.status?.phase).toBe("Failed");
    expect(condition(decision, "Stalled")).toMatchObject({ reason: "SecondMaintenance" });
  });

  test("slots that were missed and requests that are not understood are told once each", () => {
    const missed = { quick: { reason: "Missed", first: NOW - 5000, last: NOW, count: 5 } } as const;
    const memory = { marks: {}, suspended: false };
    const plan = {
      memory,
      fresh: false,
      missed,
      decided: false,
      next: {},
      unknownRequest: "soon",
      handledRequest: "soon",
    };
    const { events, status } = decide({ observed: { plan } });
    expect(events?.map(({ reason }) => reason)).toEqual(["RunsMissed", "UnknownRequest", "Scheduled"]);
    expect(status?.handledRunRequest).toBe("soon");
  });
});

describe("while a turn is under way", () => {
  test("it runs, and its record is kept with the memory", () => {
    const decision = decide({ run: FULL, state: working });
    expect(decision.status).toMatchObject({
      phase: "Running",
      work: { [purposeOf(FULL)]: { attempt: 1 }, [MEMORY]: { turn: FULL } },
    });
    expect(condition(decision, "Ready")?.message).toContain("full maintenance");
  });

  test("what waits for others has not begun", () => {
    const held: TaskState = { phase: "Held", reason: "Queued", message: "Others are first." };
    const decision = decide({ run: FULL, state: held, startedAt: undefined });
    expect(decision.status?.phase).toBe("Pending");
    expect(condition(decision, "Reconciling")).toMatchObject({ reason: "Queued" });
  });

  test("why it cannot be run shows, and nothing is forgotten", () => {
    const status = { work: { [purposeOf(FULL)]: { attempt: 2, step: "Work", failures: 1 } } };
    const task = err(waits("CABundleMissing", "No authorities."));
    const decision = decide({ run: FULL, status, observed: { task } });
    expect(decision.status).toMatchObject({ phase: "Pending", work: status.work });
    expect(condition(decision, "Reconciling")).toMatchObject({ reason: "CABundleMissing" });
  });

  test("what is remembered of runs stays while nobody can look at them", () => {
    const work = { [purposeOf(FULL)]: { attempt: 1, step: "Work", failures: 0, outcome: "Succeeded" } };
    const problem = waits("RepositoryNotFound", "It is not there.");
    expect(decide({ run: FULL, status: { work }, observed: { problem } }).status?.work).toMatchObject(work);
  });
});

describe("when maintenance has succeeded", () => {
  const answer: Answer = { maintain: { owner: OURS, freedBytes: 4096, locksRemoved: 2 } };
  const before: MaintenanceState = {
    failure: { errorClass: "Unreachable", message: "m", retry: "transient" },
    logTail: "old",
    full: { consecutiveFailures: 3, lastContentReclaimedBytes: 1 },
    locksRemoved: 1,
  };

  test("times, bytes, locks and the owner show, and the failure is gone", () => {
    const decision = decide({ run: FULL, state: succeeded(answer), status: before });
    expect(decision.status).toMatchObject({
      ownership: { owner: OURS, claimedAt: "2026-05-24T02:13:00Z", lastObservedAt: "2026-05-24T02:13:00Z" },
      full: {
        lastRunAt: "2026-05-24T02:12:00Z",
        lastSuccessAt: "2026-05-24T02:13:00Z",
        lastDurationSeconds: 60,
        consecutiveFailures: 0,
        lastContentReclaimedBytes: 4096,
      },
      locksRemoved: 3,
    });
    expect(decision.status?.failure).toBeUndefined();
    expect(decision.status?.logTail).toBeUndefined();
    const spoke = { ...succeeded(answer), logTail: ["deleted 3 packs"] } as TaskState;
    expect(decide({ run: FULL, state: spoke, status: before }).status?.logTail).toBe("deleted 3 packs");
    expect(condition(decision, "OwnershipClaimed")).toMatchObject({ status: "True", reason: "Claimed" });
    expect(decision.events).toContainEqual(
      expect.objectContaining({ reason: "Maintained", message: expect.stringContaining("4096 bytes") }),
    );
  });

  test("it keeps the time since when it is the owner", () => {
    const ownership = { owner: OURS, claimedAt: "2026-01-01T00:00:00Z" };
    const decision = decide({ run: QUICK, state: succeeded(answer), status: { ownership } });
    expect(decision.status?.ownership).toEqual({ ...ownership, lastObservedAt: "2026-05-24T02:13:00Z" });
  });

  test("an engine without a maintainer's name says why there is no other", () => {
    const decision = decide({
      run: QUICK,
      state: succeeded({ maintain: {} }),
      status: { quick: { lastContentReclaimedBytes: 7 } },
      observed: { maintainer: false },
    });
    expect(decision.status?.ownership?.owner).toBe(OURS);
    expect(condition(decision, "OwnershipClaimed")).toMatchObject({ status: "True", reason: "NoMaintainer" });
    expect(decision.status?.quick?.lastContentReclaimedBytes).toBeUndefined();
  });

  test("a full turn goes on with a check, and stands for the quick ones that came due", () => {
    const decision = decide({ run: FULL, state: succeeded(answer) });
    expect(runAfter(decision)).toEqual(CHECK);
    expect(decision.wakeAt).toBe(NOW);
    expect(decision.status?.phase).toBe("Running");
    expect(condition(decision, "Ready")).toMatchObject({ status: "False", reason: "Running" });
    expect(decision.status?.work).toMatchObject({
      [purposeOf(FULL)]: { outcome: "Succeeded" },
      [MEMORY]: { marks: { quick: { slot: NOW, cron: "q" }, full: MARKS.full } },
    });
  });

  test.each<[string, Case]>([
    ["a quick turn", { run: QUICK }],
    [
      "a full turn without a check",
      { run: FULL, spec: { check: { afterEach: true, afterFull: false, dataPercent: 0 } } },
    ],
    ["a full turn that began with one", { run: { ...FULL, checkFirst: true } }],
  ])("%s is over", (_, one) => {
    expect(runAfter(decide({ ...one, state: succeeded(answer) }))).toEqual(one.run);
  });

  test("what was recorded before is not counted again", () => {
    const closed: TaskState = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: false };
    const status = { full: { lastContentReclaimedBytes: 5 } };
    const decision = decide({ run: FULL, state: closed, status });
    expect(decision.status?.full).toEqual({ ...status.full, nextScheduledAt: "2026-05-24T02:13:05Z" });
    expect(decision.status?.phase).toBe("Ready");
  });
});

describe("when maintenance has failed", () => {
  test("failures are counted by schedule, and the next run is announced", () => {
    const status = { full: { consecutiveFailures: 1, lastSuccessAt: "2026-05-17T03:00:00Z" } };
    const decision = decide({ run: FULL, state: ended(UNREACHABLE), status });
    expect(decision.status).toMatchObject({
      phase: "Failed",
      full: { consecutiveFailures: 2, lastSuccessAt: "2026-05-17T03:00:00Z" },
      failure: { errorClass: "Unreachable" },
      logTail: "last line",
    });
    expect(condition(decision, "Reconciling")).toMatchObject({
      reason: "Unreachable",
      message: expect.stringContaining("The next run, a quick one"),
    });
    expect(decision.events).toContainEqual(
      expect.objectContaining({ type: "Warning", reason: "Unreachable" }),
    );
  });

  test("what only an edit helps against stalls it", () => {
    const decision = decide({ run: FULL, state: ended(WRONG_PASSWORD) });
    expect(condition(decision, "Stalled")).toMatchObject({ reason: "WrongPassword" });
  });

  test("what was found out all the same is kept", () => {
    const state = ended(UNREACHABLE, { maintain: { owner: OURS, locksRemoved: 1 } });
    expect(decide({ run: FULL, state }).status).toMatchObject({
      ownership: { owner: OURS },
      locksRemoved: 1,
    });
  });

  test("somebody who ended it is no failure", () => {
    const cancelled = { class: "Cancelled", message: "Cancelled", remedy: "Start it." } as const;
    const state: TaskState = { ...(ended(cancelled) as object), outcome: "Cancelled" } as TaskState;
    const decision = decide({ run: FULL, state, observed: { stopped: true } });
    expect(decision.status?.failure).toBeUndefined();
    expect(decision.status?.full?.consecutiveFailures).toBeUndefined();
    expect(decision.status?.phase).toBe("Suspended");
    expect(condition(decision, "Stalled")?.message).toContain(`${GROUP}/cancel`);
  });
});

test("a run that is given up says why, and counts as no failure of its schedule", () => {
  const refusal = refused("NotAlone", "Somebody else is there.");
  const cancelled = { class: "Cancelled", message: "Cancelled", remedy: "Start it." } as const;
  const state: TaskState = { ...(ended(cancelled) as object), outcome: "Cancelled" } as TaskState;
  const decision = decide({ run: { ...FULL, immediate: true }, state, observed: { refusal } });
  expect(decision.status).toMatchObject({
    phase: "Failed",
    failure: { errorClass: "NotAlone", message: "Somebody else is there.", retry: "terminal" },
  });
  expect(decision.status?.full?.consecutiveFailures).toBeUndefined();
  expect(condition(decision, "Stalled")?.message).toContain("The next run, a quick one");
  const done = decide({ run: FULL, state: succeeded({ maintain: { owner: OURS } }), observed: { refusal } });
  expect(done.status?.failure).toBeUndefined();
});

describe("when somebody else maintains the repository", () => {
  const state = ended(OTHER, { maintain: { owner: "somebody@else" } });

  test("with Never it is left alone, and all is well", () => {
    const decision = decide({ run: QUICK, state, spec: takingOver("Never") });
    expect(decision.status).toMatchObject({ phase: "Ready", ownership: { owner: "somebody@else" } });
    expect(condition(decision, "Ready")).toMatchObject({ status: "True", reason: "OwnedByAnother" });
    expect(condition(decision, "OwnershipClaimed")).toMatchObject({
      status: "False",
      reason: "OwnedByAnother",
    });
    expect(decision.status?.failure).toBeUndefined();
    expect(decision.status?.quick?.consecutiveFailures).toBeUndefined();
  });

  test("with PromptCondition someone is asked, in words that name the owner and the annotation", () => {
    const decision = decide({ run: QUICK, state });
    expect(decision.status?.phase).toBe("Pending");
    const { message = "" } = condition(decision, "Stalled") ?? {};
    expect(message).toContain(`${GROUP}/acknowledge-takeover with the value somebody@else`);
    expect(decision.events).toContainEqual(
      expect.objectContaining({ type: "Warning", reason: "OwnedByAnother" }),
    );
  });

  test("a name that was ours before is nobody else's", () => {
    const ownership = { owner: "before", claimedAt: "2026-05-24T00:00:00Z" };
    const decision = decide({ status: { ownership } });
    expect(condition(decision, "Ready")).toMatchObject({ status: "True", reason: "Scheduled" });
    expect(condition(decision, "OwnershipClaimed")?.status).toBe("True");
  });

  test("once it is ours, nothing is asked any more", () => {
    const status = { ownership: { owner: "somebody@else", lastObservedAt: "2026-05-01T00:00:00Z" } };
    const decision = decide({ run: QUICK, state: succeeded({ maintain: { owner: OURS } }), status });
    expect(decision.status?.ownership?.claimedAt).toBe("2026-05-24T02:13:00Z");
    expect(condition(decision, "Ready")).toMatchObject({ status: "True", reason: "Scheduled" });
  });
});

describe("checks", () => {
  test("one that finds nothing says so", () => {
    const decision = decide({ run: CHECK, state: succeeded({ check: { problems: [] } }) });
    // To the millisecond, as there may be two within a second.
    expect(decision.status?.lastCheck).toEqual({
      at: "2026-05-24T02:13:00.000Z",
      dataPercent: 0,
      healthy: true,
    });
    expect(condition(decision, "RepositoryHealthy")).toMatchObject({ status: "True" });
    expect(runAfter(decision)).toEqual(CHECK);
  });

  test("one that read nothing of the data says so", () => {
    const decision = decide({ run: CHECK, state: succeeded({ check: { problems: [] } }) });
    expect(condition(decision, "RepositoryHealthy")?.message).toContain("It read none of the stored data");
    const whole = decide({
      run: { ...CHECK, dataPercent: 100 },
      state: succeeded({ check: { problems: [] } }),
    });
    expect(whole.status?.lastCheck?.dataPercent).toBe(100);
    expect(condition(whole, "RepositoryHealthy")?.message).toContain("It read all stored data.");
  });

  test("a snapshot that is whole says nothing of the others", () => {
    const lastCheck = { at: "2026-05-24T00:00:00Z", healthy: false };
    const run = { ...CHECK, snapshot: "k1" };
    const decision = decide({
      run,
      state: succeeded({ verify: { files: 7, problems: [] } }),
      status: { lastCheck },
    });
    expect(decision.status?.lastVerification).toEqual({
      at: "2026-05-24T02:13:00.000Z",
      snapshotID: "k1",
      healthy: true,
      files: 7,
    });
    expect(decision.status?.lastCheck).toEqual(lastCheck);
  });

  test("a snapshot that cannot be read is damage of the repository, found by reading", () => {
    const state = ended(CORRUPT, { verify: { problems: ["letters/anna.txt"] } });
    const { status } = decide({ run: { ...CHECK, snapshot: "k1" }, state });
    expect(status?.lastVerification).toMatchObject({ snapshotID: "k1", healthy: false });
    expect(status?.lastCheck).toMatchObject({
      healthy: false,
      dataPercent: 100,
      problems: ["letters/anna.txt"],
    });
  });

  test("one that finds damage stalls it, names it within bounds, and warns", () => {
    const problems = Array.from({ length: 50 }, (_, n) => `pack ${n} ${"x".repeat(500)}`);
    const decision = decide({ run: CHECK, state: ended(CORRUPT, { check: { problems } }) });
    expect(decision.status?.lastCheck?.healthy).toBe(false);
    expect(decision.status?.lastCheck?.problems).toHaveLength(8);
    expect(decision.status?.lastCheck?.problems?.[0]).toHaveLength(256);
    expect(condition(decision, "RepositoryHealthy")).toMatchObject({ status: "False", reason: "Corrupt" });
    expect(condition(decision, "Stalled")?.message).toContain(
      "Nothing is cleaned up before a check finds none",
    );
    expect(decision.events).toContainEqual(expect.objectContaining({ type: "Warning", reason: "Corrupt" }));
    expect(JSON.stringify(decision.status).length).toBeLessThan(16_384);
  });

  test("one that could not be made changes nothing of what is known", () => {
    const lastCheck = { at: "2026-05-17T04:00:00Z", healthy: true };
    const status = { lastCheck, full: { consecutiveFailures: 0 } };
    const decision = decide({ run: CHECK, state: ended(UNREACHABLE), status });
    expect(decision.status).toMatchObject({ lastCheck, failure: { errorClass: "Unreachable" } });
    expect(decision.status?.full?.consecutiveFailures).toBe(0);
  });

  const HIT = {
    id: "k1",
    identity: { username: "app", hostname: "shop", path: "/data" },
    startedAt: "2026-05-20T01:02:03.456Z",
    run: "run-1",
    files: 12,
    examples: ["sub/f1", "sub/f2", "sub/f3"],
  };
  const LOST = { problems: ["pack p1 is missing"], missing: { packs: 1, snapshots: 2, hit: [HIT] } };
  const SHOWN = {
    packs: 1,
    snapshots: 2,
    hit: [
      {
        snapshotID: "k1",
        identity: "app@shop:/data",
        startedAt: "2026-05-20T01:02:03Z",
        backup: "billing/nightly",
        files: 12,
        examples: ["sub/f1", "sub/f2"],
      },
    ],
  };
  const WORDS =
    "The storage has lost 1 pack of the repository. 2 snapshots are not whole: backup billing/nightly (12 files, such as sub/f1), and 1 other.";
  const observed = {
    backupOf: ({ run }: { run?: string }) => (run === "run-1" ? "billing/nightly" : undefined),
  };

  test("a run of maintenance whose check finds nothing says so", () => {
    const decision = decide({ run: QUICK, state: succeeded({ maintain: { check: { problems: [] } } }) });
    expect(decision.status?.lastCheck).toEqual({
      at: "2026-05-24T02:13:00.000Z",
      dataPercent: 0,
      healthy: true,
    });
    expect(condition(decision, "RepositoryHealthy")).toMatchObject({ status: "True", reason: "Checked" });
    expect(decision.status?.phase).toBe("Ready");
  });

  test("a run of maintenance after which data is missing is done, stalls the next, and says what is hit", () => {
    const state = succeeded({ maintain: { check: LOST } });
    const decision = decide({ run: QUICK, state, observed });
    expect(decision.status?.quick).toMatchObject({ consecutiveFailures: 0 });
    expect(decision.status?.lastCheck).toEqual({
      at: "2026-05-24T02:13:00.000Z",
      healthy: false,
      dataPercent: 0,
      problems: ["pack p1 is missing"],
      missing: SHOWN,
    });
    expect(decision.status?.phase).toBe("Failed");
    expect(condition(decision, "RepositoryHealthy")).toMatchObject({
      status: "False",
      reason: "DataMissing",
      message: `The check of 2026-05-24T02:13:00.000Z found data missing. ${WORDS}`,
    });
    const warning = { type: "Warning", reason: "DataMissing", message: expect.stringContaining(WORDS) };
    expect(decision.events).toContainEqual(warning);
    expect(condition(decision, "Stalled")).toMatchObject({ status: "True", reason: "DataMissing" });
  });

  test("a check of its own says so, too", () => {
    const decision = decide({ run: CHECK, state: ended(CORRUPT, { check: LOST }), observed });
    expect(decision.status?.lastCheck).toMatchObject({ healthy: false, missing: SHOWN });
    expect(condition(decision, "RepositoryHealthy")?.reason).toBe("DataMissing");
  });

  test.each<[string, EngineFailure, Answer]>([
    ["that damage stopped", CORRUPT, { maintain: { check: LOST } }],
    ["that somebody else does", OTHER, { maintain: { owner: "somebody@else", check: LOST } }],
  ])("a run %s tells what its check found", (_, failure, answer) => {
    const decision = decide({ run: QUICK, state: ended(failure, answer), observed });
    expect(decision.status?.lastCheck).toMatchObject({ healthy: false, missing: SHOWN });
    expect(condition(decision, "RepositoryHealthy")?.reason).toBe("DataMissing");
  });

  test("a run that damage stopped is as good as a check that found it", () => {
    const decision = decide({ run: QUICK, state: ended(CORRUPT) });
    expect(decision.status?.lastCheck).toMatchObject({ healthy: false, problems: ["pack p1 is damaged"] });
    expect(decision.status?.quick?.consecutiveFailures).toBe(1);
  });

  const first: MaintenanceRun = { ...CHECK, checkFirst: true };
  const damaged = { lastCheck: { at: "2026-05-17T04:00:00Z", healthy: false, problems: ["p1"] } };

  test("one that comes first and finds nothing lets maintenance begin", () => {
    const decision = decide({ run: first, state: succeeded({ check: { problems: [] } }), status: damaged });
    expect(runAfter(decision)).toEqual({ ...first, step: "Maintain" });
    expect(decision.wakeAt).toBe(NOW);
  });

  test("once everything is there again, nothing is said to be missing", () => {
    const lastCheck = { at: "2026-05-17T04:00:00Z", healthy: false, problems: ["p1"], missing: SHOWN };
    const state = succeeded({ check: { problems: [] } });
    const decision = decide({ run: first, state, status: { lastCheck } });
    expect(decision.status?.lastCheck).toEqual({
      at: "2026-05-24T02:13:00.000Z",
      dataPercent: 0,
      healthy: true,
    });
    expect(condition(decision, "RepositoryHealthy")?.status).toBe("True");
  });

  test("one that comes first and finds damage keeps everything as it is", () => {
    const decision = decide({
      run: first,
      state: ended(CORRUPT, { check: { problems: ["p1"] } }),
      status: damaged,
    });
    expect(runAfter(decision)).toEqual(first);
    expect(decision.status?.phase).toBe("Failed");
  });

  test("one that comes first and cannot be made counts as a failure of its schedule", () => {
    const decision = decide({ run: first, state: ended(UNREACHABLE), status: damaged });
    expect(decision.status?.full?.consecutiveFailures).toBe(1);
  });
});
