import { describe, expect, test } from "vitest";
import type { RunRecord } from "./run_record.ts";
import { attemptId } from "./task_requests.ts";
import {
  CLEAN,
  decide,
  ID,
  lost,
  named,
  noted,
  reported,
  restore,
  SETTLE,
} from "./testing/sample_decisions.ts";
import { endedJob, observed, runningPod, sampleJob } from "./testing/samples.ts";

const settling: RunRecord = { ...noted, step: "Settle", side: 1, failures: 1 };
const cleaning: RunRecord = { ...noted, step: "CleanUp", side: 2, failures: 1 };
const gone = (id: string) => observed({ job: named(id, endedJob("BackoffLimitExceeded")) }, id);

describe("a run whose mover nobody saw end is remembered", () => {
  test("whatever its work was, so that the next one leaves its locks alone", () => {
    const { record } = decide({ task: restore, record: noted });
    expect(record).toMatchObject({ attempt: 2, unseen: [attemptId(restore, 1)] });
    const { notBefore: _, ...due } = record;
    const [begun] = decide({ task: restore, record: due }).intents;
    expect(begun).toMatchObject({ type: "Ensure", request: { id: attemptId(restore, 2) } });
    expect(begun).not.toHaveProperty("request.work.endedRuns");
  });

  test("also where it asked about an attempt or cleaned up after it", () => {
    expect(decide({ record: settling, runs: [gone(SETTLE)] }).record.unseen).toEqual([SETTLE]);
    const before = { ...cleaning, unseen: [ID] };
    expect(decide({ record: before, runs: [gone(CLEAN)] }).record.unseen).toEqual([ID, CLEAN]);
    expect(decide({ record: settling, runs: [lost(SETTLE)] }).record).not.toHaveProperty("unseen");
  });

  test("also where it was to end", () => {
    const cancel = true;
    expect(decide({ cancel, record: noted }).record).toMatchObject({ outcome: "Cancelled", unseen: [ID] });
    expect(decide({ cancel, record: settling, runs: [gone(SETTLE)] }).record.unseen).toEqual([SETTLE]);
    for (const run of [lost(), reported("Cancelled"), reported()])
      expect(decide({ cancel, record: noted, runs: [run] }).record).not.toHaveProperty("unseen");
  });

  test("also where it goes on while its task is given up: nobody will look", () => {
    const running = observed({ job: named(SETTLE, sampleJob()), pod: runningPod() }, SETTLE);
    expect(decide({ cancel: true, record: settling, runs: [running] }).record.unseen).toEqual([SETTLE]);
    const between = { attempt: 1, step: "Settle", side: 1, failures: 1 } as const;
    expect(decide({ cancel: true, record: between }).record).not.toHaveProperty("unseen");
  });
});
