import { describe, expect, test } from "vitest";
import type { RunRecord } from "./run_record.ts";
import { decide, ID, named, noted, suspended } from "./testing/sample_decisions.ts";
import { observed, runningPod, sampleJob } from "./testing/samples.ts";

describe("a pod that does not go", () => {
  const going = {
    ...runningPod(),
    metadata: { ...runningPod().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  const stuck = (node?: "Ready" | "Silent" | "Dead" | "Unknown", id = ID) =>
    observed({ job: named(id, sampleJob()), pod: going, ...(node ? { overdue: { node } } : {}) }, id);

  test("of an earlier attempt holds the next one back", () => {
    const record: RunRecord = { attempt: 2, step: "Work", failures: 1 };
    const { state, intents } = decide({ record, runs: [stuck()] });
    expect(state).toMatchObject({ phase: "Held", reason: "PodStillThere" });
    expect(intents).toEqual([]);
  });

  test("of an earlier attempt that nobody has told, is told", () => {
    const record: RunRecord = { attempt: 2, step: "Work", failures: 1 };
    const runs = [observed({ job: sampleJob(), pod: runningPod() })];
    expect(decide({ record, runs }).intents).toMatchObject([{ type: "Cancel" }]);
  });

  test("is waited for while its node answers", () => {
    expect(decide({ record: noted, runs: [stuck("Ready")] })).toMatchObject({
      state: { phase: "Working", state: { phase: "Running", terminating: true } },
      intents: [],
    });
  });

  test.each([
    ["Silent", "NodeSilent", "taint it with node.kubernetes.io/out-of-service"],
    ["Unknown", "NodeUnknown", "delete the pod by force"],
  ] as const)("is left alone while its node is %s, and the state says what helps", (node, reason, remedy) => {
    const { state, intents } = decide({ record: noted, runs: [stuck(node)] });
    expect(state).toMatchObject({ phase: "Held", reason });
    expect(state).toHaveProperty("message", expect.stringContaining(remedy));
    expect(intents).toEqual([]);
  });

  test("is reaped once its node is dead, and only then counts as lost", () => {
    const { state, intents, record } = decide({ record: noted, runs: [stuck("Dead")] });
    expect(intents).toMatchObject([{ type: "Reap", pod: going }]);
    expect(state).toMatchObject({ phase: "Held", reason: "NodeDead" });
    expect(record).toEqual(noted);
    expect(decide({ record: noted }).record.step).toBe("Settle");
  });

  test("is reaped for earlier attempts and cancelled tasks too", () => {
    const later: RunRecord = { attempt: 2, step: "Work", failures: 1 };
    expect(decide({ record: later, runs: [stuck("Dead")] }).intents).toMatchObject([{ type: "Reap" }]);
    const told = { ...stuck("Dead"), job: suspended() };
    expect(decide({ cancel: true, record: noted, runs: [told] }).intents).toMatchObject([{ type: "Reap" }]);
  });
});
