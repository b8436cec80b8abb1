import { describe, expect, test } from "vitest";
import type { Answer } from "../../wire/report.ts";
import type { RunRecord } from "./run_record.ts";
import { CLEAN, decide, ID, lost, noted, now, reported, SETTLE } from "./testing/sample_decisions.ts";
import { failureOfClass, sampleSnapshot } from "./testing/samples.ts";

describe("when the repository has been asked", () => {
  const settling: RunRecord = {
    ...noted,
    step: "Settle",
    side: 1,
    failures: 1,
    reported: false,
    lastFailure: failureOfClass("Interrupted"),
  };
  const answer = (...snapshots: readonly ReturnType<typeof sampleSnapshot>[]): { answer: Answer } => ({
    answer: { catalog: { stats: { snapshots: 5, storedBytes: 1 }, found: snapshots.length, snapshots } },
  });
  const asked = (more: object, record: RunRecord = settling, policy = {}) =>
    decide({ record, policy, runs: [reported(undefined, more, SETTLE)] });

  test("and has everything, the task succeeded", () => {
    const { record, state } = asked(answer(sampleSnapshot()));
    expect(record).toMatchObject({ outcome: "Succeeded", attempt: 1 });
    expect(state).toMatchObject({ outcome: "Succeeded", settled: true, result: { run: ID } });
  });

  test("and has everything, the task succeeded though no attempt was left", () => {
    expect(asked(answer(sampleSnapshot()), settling, { backoffLimit: 0 }).record.outcome).toBe("Succeeded");
  });

  test("and has nothing, the next attempt follows after its wait", () => {
    const { record, wakeAt = 0 } = asked(answer());
    expect(record).toMatchObject({ attempt: 2, step: "Work", failures: 1, side: 1 });
    expect(wakeAt - now).toBeGreaterThanOrEqual(30_000);
  });

  test("and has nothing, and no attempt is left, the task failed", () => {
    const { record, state } = asked(answer(), settling, { backoffLimit: 0 });
    expect(record.outcome).toBe("Failed");
    expect(record).not.toHaveProperty("leftovers");
    // What this run said is not what the attempt said, whose log is kept.
    expect(state).toMatchObject({ result: { run: ID, failure: { class: "Interrupted" } }, logTail: [] });
  });

  test("and has a part, that is deleted first", () => {
    const { record, wakeAt } = asked(answer(sampleSnapshot({ incomplete: "checkpoint" })));
    expect(record).toMatchObject({ attempt: 1, step: "CleanUp", side: 2 });
    expect(wakeAt).toBe(now);
  });

  test("and has a part, and no attempt is left, that is noted", () => {
    const { record } = asked(answer(sampleSnapshot({ incomplete: "c" })), settling, { backoffLimit: 0 });
    expect(record).toMatchObject({ outcome: "Failed", leftovers: [ID] });
  });

  test("and has everything of an attempt that said it failed, that is deleted first", () => {
    const record = { ...settling, reported: true, lastFailure: failureOfClass("Forbidden") };
    expect(asked(answer(sampleSnapshot()), record).record.step).toBe("CleanUp");
  });

  test("and has nothing of an attempt that said it failed, the next one begins without another wait", () => {
    const record = { ...settling, reported: true, lastFailure: failureOfClass("Forbidden") };
    expect(asked(answer(), record)).toMatchObject({ record: { attempt: 2, step: "Work" }, wakeAt: now });
  });

  test("and has nothing of an attempt that could not read what another user owns, the next one runs as that user", () => {
    const owner = { uid: 1000, gid: 1000 };
    const unread = {
      ...settling,
      reported: true,
      lastFailure: { ...failureOfClass("SourceUnreadable"), owner },
    };
    expect(asked(answer(), { ...unread, owner })).toMatchObject({
      record: { attempt: 2, owner },
      wakeAt: now,
    });
    expect(asked(answer(), unread).record.outcome).toBe("Failed");
  });

  test("and gave half an answer, it is asked again", () => {
    const { answer: whole } = answer(sampleSnapshot());
    const cut = { answer: { catalog: { ...(whole as { catalog: object }).catalog, snapshots: [] } } };
    expect(asked(cut).record).toMatchObject({ step: "Settle", side: 2, sideFailures: 1, failures: 1 });
    expect(asked({}).record).toMatchObject({ step: "Settle", side: 2 });
  });

  test.each(["Unreachable", "Locked", "Forbidden"] as const)(
    "but failed with %s, it is asked again",
    (name) => {
      const { record, state } = decide({ record: settling, runs: [reported(name, {}, SETTLE)] });
      expect(record).toMatchObject({ step: "Settle", side: 2, sideFailures: 1, failures: 1 });
      expect(state.phase).toBe("BackingOff");
    },
  );

  test("but was lost itself, it is asked again, however often", () => {
    const record = { ...settling, sideFailures: 50 };
    const decision = decide({ record, runs: [lost(SETTLE)] });
    expect(decision.record).toMatchObject({ step: "Settle", side: 2, sideFailures: 51 });
    expect((decision.wakeAt ?? 0) - now).toBeLessThanOrEqual(1_080_000);
  });

  test("but cannot be, the task failed, and what may be left is noted", () => {
    const { record, state } = decide({ record: settling, runs: [reported("WrongPassword", {}, SETTLE)] });
    expect(record).toMatchObject({ outcome: "Failed", leftovers: [ID] });
    expect(state).toMatchObject({ result: { failure: { class: "WrongPassword" } } });
    expect(state).toHaveProperty("result.failure.message", expect.stringContaining("could not be found out"));
  });
});

describe("what is left is deleted", () => {
  const cleaning: RunRecord = {
    ...noted,
    step: "CleanUp",
    side: 2,
    failures: 1,
    reported: false,
    lastFailure: failureOfClass("Interrupted"),
  };

  test("by the run's tag", () => {
    const { job: _, ...record } = cleaning;
    expect(decide({ record }).intents).toMatchObject([
      { type: "Ensure", request: { id: CLEAN, work: { work: { delete: { snapshots: [], runs: [ID] } } } } },
    ]);
  });

  test("and then the next attempt follows", () => {
    const { record } = decide({ record: cleaning, runs: [reported(undefined, {}, CLEAN)] });
    expect(record).toMatchObject({ attempt: 2, step: "Work" });
  });

  test("or is tried again", () => {
    const { record } = decide({ record: cleaning, runs: [reported("Locked", {}, CLEAN)] });
    expect(record).toMatchObject({ attempt: 1, step: "CleanUp", side: 3, sideFailures: 1 });
  });

  test("and what asked about it is removed at once", () => {
    const { intents } = decide({ record: cleaning, runs: [reported(undefined, {}, SETTLE)] });
    expect(intents[0]).toMatchObject({ type: "Remove", job: { metadata: { name: SETTLE } } });
  });
});
