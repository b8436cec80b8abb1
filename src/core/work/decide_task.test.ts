import { describe, expect, test } from "vitest";
import { FIRST_ATTEMPT, type RunRecord } from "./run_record.ts";
import type { TaskDecision } from "./task_decision.ts";
import type { TaskView } from "./task_view.ts";
import {
  decide,
  ID,
  iso,
  lost,
  noted,
  now,
  reported,
  SECOND,
  SETTLE,
  suspended,
} from "./testing/sample_decisions.ts";
import {
  failureOfClass,
  JOB_UID,
  observed,
  runningPod,
  sampleJob,
  sampleRequest,
  sampleResult,
  sampleTask,
} from "./testing/samples.ts";

describe("a run is begun", () => {
  test("with a Job that waits, when there is none", () => {
    const { intents, state, record } = decide();
    expect(intents).toEqual([{ type: "Ensure", request: sampleRequest }]);
    expect(state).toEqual({ phase: "Working", run: ID, state: { phase: "Absent" } });
    expect(record).toEqual({ ...FIRST_ATTEMPT, clearSince: iso(now) });
  });

  test("not while the gate is shut", () => {
    const gate = { open: false, reason: "CircuitOpen", message: "the repository does not answer" } as const;
    const { intents, state, wakeAt } = decide({ gate });
    expect(intents).toEqual([]);
    expect(state).toEqual({
      phase: "Held",
      reason: "CircuitOpen",
      message: "the repository does not answer",
    });
    expect(wakeAt).toBeGreaterThan(now);
  });

  test("not before its time, unless that is so far ahead that a wrong clock has written it", () => {
    const lastFailure = failureOfClass("Unreachable");
    const record = { attempt: 2, step: "Work", failures: 1, lastFailure } as const;
    const soon = { ...record, notBefore: iso(now + 60_000) };
    expect(decide({ record: soon })).toMatchObject({ state: { phase: "BackingOff" }, intents: [] });
    const tomorrow = { ...record, notBefore: iso(now + 86_400_000) };
    expect(decide({ record: tomorrow }).intents).toMatchObject([{ type: "Ensure" }]);
  });

  test("with its place at the repository noted, whether it waits there or may begin", () => {
    const place = { pool: "p", rank: 1, tenant: "shop/data", since: iso(now) };
    const gate = { open: false, reason: "Queued", message: "not yet", patience: 600_000 } as const;
    const waiting = decide({ gate, place });
    expect(waiting).toMatchObject({ record: { place }, state: { phase: "Held" }, intents: [] });
    expect(waiting.wakeAt).toBe(now + 600_000);
    const seated = { ...place, seated: true };
    expect(decide({ place: seated, record: waiting.record })).toMatchObject({
      record: { place: seated },
      intents: [{ type: "Ensure" }],
    });
  });

  test("and gives its seat back when the gate shuts before there is a Job", () => {
    const place = { pool: "p", rank: 1, tenant: "shop/data", since: iso(now), seated: true };
    const gate = { open: false, reason: "RepositoryNotReady", message: "away" } as const;
    expect(decide({ gate, record: { ...FIRST_ATTEMPT, place } }).record).toEqual(FIRST_ATTEMPT);
  });

  test("with its account made again, when that was taken away", () => {
    const job = sampleJob();
    const waits = (said: string, task = sampleTask) => {
      const message = `Error creating: pods "x" is forbidden: ${said}`;
      const events = [{ type: "Warning", reason: "FailedCreate", message }] as const;
      return decide({ task, record: noted, runs: [observed({ job, events })] });
    };
    const missing = waits('error looking up service account shop/m: serviceaccount "m" not found');
    expect(missing.state).toMatchObject({ state: { phase: "Waiting", reason: "ServiceAccountMissing" } });
    expect(missing.intents).toEqual([{ type: "Account", namespace: sampleRequest.namespace }]);
    expect(waits("exceeded quota: small").intents).toEqual([]);
    const named = { ...sampleTask, mover: { ...sampleTask.mover, serviceAccountName: "m" } };
    expect(
      waits('error looking up service account shop/m: serviceaccount "m" not found', named).intents,
    ).toEqual([]);
  });

  test("by noting its Job first", () => {
    const { record, intents, wakeAt } = decide({ runs: [observed({ job: suspended() })] });
    expect(record.job).toBe(JOB_UID);
    expect(intents).toEqual([]);
    expect(wakeAt).toBe(now);
  });

  test("not when the gate has shut since its Job was made, which is made anew then", () => {
    const gate = { open: false, reason: "VolumeNotNew", message: "another volume" } as const;
    const place = { pool: "p", rank: 1, tenant: "shop/data", since: iso(now), seated: true };
    const job = suspended();
    const decision = decide({ gate, record: { ...FIRST_ATTEMPT, place }, runs: [observed({ job })] });
    expect(decision).toMatchObject({
      record: FIRST_ATTEMPT,
      state: { phase: "Held", reason: "VolumeNotNew" },
    });
    expect(decision.record).not.toHaveProperty("place");
    expect(decision.intents).toEqual([{ type: "Remove", job }]);
    const noted = { ...FIRST_ATTEMPT, job: JOB_UID };
    expect(decide({ gate, record: noted, runs: [observed({ job })] }).intents).toMatchObject([
      { type: "Ensure", resume: { uid: JOB_UID } },
    ]);
    expect(decide({ place, runs: [observed({ job })] }).record).toMatchObject({ job: JOB_UID, place });
  });

  test("by letting it go when its Job is noted, and the clock starts", () => {
    const record = { ...FIRST_ATTEMPT, job: JOB_UID };
    const decision = decide({ record, runs: [observed({ job: suspended() })] });
    expect(decision.intents).toEqual([{ type: "Ensure", request: sampleRequest, resume: { uid: JOB_UID } }]);
    expect(decision.record.startedAt).toBe(iso(now));
  });

  test("and its Job is noted late, when the record was lost", () => {
    expect(decide({ runs: [observed({ job: sampleJob(), pod: runningPod() })] }).record.job).toBe(JOB_UID);
  });

  test("with the time that is left for mover and Job", () => {
    const policy = { activeDeadlineSeconds: 600 };
    const request = (record?: RunRecord) => {
      const [intent] = decide({ policy, ...(record ? { record } : {}) }).intents;
      return intent?.type === "Ensure" ? intent.request : undefined;
    };
    expect(request()).toMatchObject({ work: { deadlineSeconds: 600 }, activeDeadlineSeconds: 690 });
    const second = { attempt: 2, step: "Work", failures: 1, startedAt: iso(now - 400_000) } as const;
    expect(request(second)).toMatchObject({ work: { deadlineSeconds: 200 }, activeDeadlineSeconds: 290 });
  });
});

describe("while a run goes on", () => {
  test("nothing is done, and its state is shown", () => {
    const { intents, state, record, wakeAt } = decide({
      record: noted,
      runs: [observed({ job: sampleJob(), pod: runningPod() })],
    });
    expect(intents).toEqual([]);
    expect(state).toMatchObject({ phase: "Working", run: ID, state: { phase: "Running" } });
    expect(record).toEqual(noted);
    expect(wakeAt).toBeGreaterThan(now);
  });

  test("a shut gate does not touch it", () => {
    const gate = { open: false, reason: "CircuitOpen", message: "m" } as const;
    const { state } = decide({
      gate,
      record: noted,
      runs: [observed({ job: sampleJob(), pod: runningPod() })],
    });
    expect(state.phase).toBe("Working");
  });
});

describe("a task that starts by signal", () => {
  const task = { ...sampleTask, startsBySignal: true, prepareTimeoutSeconds: 60 };
  const record: RunRecord = { ...FIRST_ATTEMPT, job: JOB_UID };
  const pod = runningPod();
  const told = { ...record, signalled: true, startedAt: iso(now) };
  const start = { type: "Start", pod } as const;
  const at = (step: "Prepared" | "snapshot") =>
    observed({ job: sampleJob(), pod, report: { progress: { version: 1, step }, logTail: [] } });

  test.each<[string, Partial<TaskView>, Partial<TaskDecision>, string]>([
    ["prepared, and nobody says go", {}, { record, intents: [], wakeAt: now + 60_000 }, "Prepared"],
    ["prepared, and the owner says go", { start: true }, { record: told, intents: [start] }, "Prepared"],
    [
      "prepared, told, and not seen to work",
      { start: true, record: { ...told, startedAt: iso(now - 9_000) } },
      { record: { ...told, startedAt: iso(now - 9_000) }, intents: [start] },
      "Prepared",
    ],
    [
      "at work",
      { start: true, record: told, runs: [at("snapshot")] },
      { record: told, intents: [] },
      "Running",
    ],
    [
      "prepared, and cancelled in the moment of its start",
      { start: true, cancel: true },
      { record, intents: [{ type: "Cancel", job: sampleJob() }] },
      "Prepared",
    ],
  ])("%s", (_, view, decided, phase) => {
    const decision = decide({ task, record, runs: [at("Prepared")], ...view });
    expect(decision).toMatchObject({ ...decided, state: { phase: "Working", state: { phase } } });
    expect(decision.record).toEqual(decided.record);
  });

  test("has its Job noted first, where the record was lost", () => {
    const { record: kept, intents } = decide({ task, start: true, runs: [at("Prepared")] });
    expect(kept).toEqual(told);
    expect(intents).toEqual([start]);
  });

  test("has its time from the signal, over all attempts, in the mover alone", () => {
    const policy = { activeDeadlineSeconds: 600 };
    const [first] = decide({ task, policy }).intents;
    expect(first).toMatchObject({
      request: { work: { startsBySignal: true, prepareTimeoutSeconds: 60, deadlineSeconds: 600 } },
    });
    expect(first).not.toHaveProperty("request.activeDeadlineSeconds");
    const letGo = decide({ task, policy, record, runs: [observed({ job: suspended() })] });
    expect(letGo.record).toEqual(record);
    const second = { ...FIRST_ATTEMPT, attempt: 2, failures: 1, startedAt: iso(now - 400_000) };
    expect(decide({ task, policy, record: second }).intents).toMatchObject([
      { request: { work: { startsBySignal: true, deadlineSeconds: 200 } } },
    ]);
  });

  test("that is lost or cancelled while it is prepared has left nothing to be looked for", () => {
    expect(decide({ task, record, runs: [lost()] })).toMatchObject({
      record: { attempt: 2, step: "Work", failures: 1 },
    });
    const ended = decide({ task, record, cancel: true, runs: [reported("Cancelled")] });
    expect(ended.record).toMatchObject({ outcome: "Cancelled" });
    expect(ended.record).not.toHaveProperty("leftovers");
  });

  test("that is lost after its start is looked for, and its next attempt is prepared anew", () => {
    const { record: settling } = decide({ task, record: told, runs: [lost()] });
    expect(settling).toMatchObject({ step: "Settle" });
    const [settle] = decide({ task, record: settling }).intents;
    expect(settle).toMatchObject({ type: "Ensure", request: { id: SETTLE } });
    expect(settle).not.toHaveProperty("request.work.startsBySignal");
    const answer = {
      answer: { catalog: { stats: { snapshots: 0, storedBytes: 0 }, found: 0, snapshots: [] } },
    };
    const next = decide({ task, record: settling, runs: [reported(undefined, answer, SETTLE)] });
    expect(next.record).toMatchObject({ attempt: 2, step: "Work", startedAt: told.startedAt });
    expect(next.record).not.toHaveProperty("signalled");
  });
});

describe("a run that succeeded", () => {
  test("ends the task, with its result", () => {
    const { record, state, intents } = decide({ record: noted, runs: [reported()] });
    expect(record.outcome).toBe("Succeeded");
    expect(state).toEqual({
      phase: "Ended",
      outcome: "Succeeded",
      result: sampleResult(),
      logTail: ["end"],
      settled: false,
    });
    expect(intents).toEqual([]);
  });

  test("is removed only once that is recorded", () => {
    const record: RunRecord = { ...noted, outcome: "Succeeded" };
    const [run] = [reported()];
    const { intents, state, wakeAt } = decide({ record, runs: [run] });
    expect(intents).toEqual([{ type: "Remove", job: run.job }]);
    expect(state).toMatchObject({ phase: "Ended", outcome: "Succeeded" });
    expect(state).not.toHaveProperty("result");
    expect(wakeAt).toBeUndefined();
  });
});

describe("runs that the record knows nothing of", () => {
  test("are left alone: the record may be old", () => {
    const runs = [
      reported(undefined, {}, SECOND),
      reported(undefined, {}, SETTLE),
      observed({ job: sampleJob(), pod: runningPod() }),
    ];
    expect(decide({ record: noted, runs }).intents).toEqual([]);
  });
});
