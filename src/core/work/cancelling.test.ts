import { describe, expect, test } from "vitest";
import type { Job } from "../../kube/builtin.ts";
import type { RunRecord } from "./run_record.ts";
import {
  decide,
  ID,
  iso,
  named,
  noted,
  now,
  reported,
  SETTLE,
  suspended,
} from "./testing/sample_decisions.ts";
import {
  endedPod,
  failureOfClass,
  observed,
  runningPod,
  sampleJob,
  sampleResult,
} from "./testing/samples.ts";

describe("a task that is cancelled", () => {
  const cancel = true;
  const annotated = (job: Job): Job => ({
    ...suspended(job),
    metadata: { ...job.metadata, annotations: { "holdfast.dev/cancelled": "true" } },
  });

  test("before anything began is over", () => {
    const { record, state, intents } = decide({ cancel });
    expect(record.outcome).toBe("Cancelled");
    expect(state).toMatchObject({ outcome: "Cancelled", result: { failure: { class: "Cancelled" } } });
    expect(intents).toEqual([]);
  });

  test("before its mover was let go is over, and its Job goes", () => {
    const { record, intents } = decide({ cancel, record: noted, runs: [observed({ job: suspended() })] });
    expect(record.outcome).toBe("Cancelled");
    expect(intents).toMatchObject([{ type: "Remove" }]);
  });

  test("while it runs has its mover told to end", () => {
    const runs = [observed({ job: sampleJob(), pod: runningPod() })];
    const { record, intents, state } = decide({ cancel, record: noted, runs });
    expect(record.outcome).toBeUndefined();
    expect(intents).toMatchObject([{ type: "Cancel" }]);
    expect(state).toMatchObject({ phase: "Working", state: { phase: "Running" } });
  });

  test("while its pod is refused has its Job stopped", () => {
    expect(decide({ cancel, record: noted, runs: [observed({ job: sampleJob() })] }).intents).toMatchObject([
      { type: "Cancel" },
    ]);
  });

  test("whose Job is gone is over when its pod is", () => {
    const going = decide({ cancel, record: noted, runs: [observed({ pod: runningPod() })] });
    expect(going).toMatchObject({ record: noted, intents: [], state: { phase: "Working" } });
    expect(decide({ cancel, record: noted }).record).toMatchObject({ outcome: "Cancelled", leftovers: [ID] });
  });

  test("is told once", () => {
    const runs = [observed({ job: annotated(sampleJob()), pod: runningPod() })];
    expect(decide({ cancel, record: noted, runs }).intents).toEqual([]);
  });

  test("and reported so, is over", () => {
    const result = sampleResult({ failure: failureOfClass("Cancelled") });
    const runs = [
      observed({ job: annotated(sampleJob()), pod: endedPod(35), report: { result, logTail: [] } }),
    ];
    const { record, state } = decide({ cancel, record: noted, runs });
    expect(record).toMatchObject({ outcome: "Cancelled", failedAttempt: noted.attempt });
    expect(state).toMatchObject({ result: { failure: { class: "Cancelled" } } });
  });

  test("and ended without a word, is over, and what it may have left is noted", () => {
    const { record } = decide({ cancel, record: noted, runs: [observed({ job: annotated(sampleJob()) })] });
    expect(record).toMatchObject({ outcome: "Cancelled", leftovers: [ID] });
  });

  test("too late, succeeded", () => {
    expect(decide({ cancel, record: noted, runs: [reported()] }).record.outcome).toBe("Succeeded");
  });

  test("too late, is over where its success was cut short: what it made is noted, to be deleted", () => {
    const runs = [reported(undefined, { shortened: true, answer: { snapshot: { snapshots: [] } } })];
    const { record, state } = decide({ cancel, record: noted, runs });
    expect(record).toMatchObject({ outcome: "Cancelled", leftovers: [ID] });
    expect(state).toMatchObject({ result: { failure: { class: "Cancelled" } } });
  });

  test("between two attempts is over", () => {
    const record: RunRecord = { attempt: 2, step: "Work", failures: 1, notBefore: iso(now + 60_000) };
    expect(decide({ cancel, record }).record.outcome).toBe("Cancelled");
  });

  test("while the repository is asked is over, and what may be left is noted", () => {
    const record: RunRecord = { ...noted, step: "Settle", side: 1, failures: 1 };
    const runs = [observed({ job: named(SETTLE, sampleJob()), pod: runningPod() }, SETTLE)];
    const decision = decide({ cancel, record, runs });
    expect(decision.record).toMatchObject({ outcome: "Cancelled", leftovers: [ID] });
    expect(decision.intents).toMatchObject([{ type: "Remove" }]);
  });

  test("has its Job removed in the end: a suspended one never ends", () => {
    const record: RunRecord = { ...noted, outcome: "Cancelled" };
    const runs = [observed({ job: annotated(sampleJob()), pod: endedPod(35) })];
    expect(decide({ record, runs }).intents).toMatchObject([{ type: "Remove" }]);
  });
});
