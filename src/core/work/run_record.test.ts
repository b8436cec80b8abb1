import { describe, expect, test } from "vitest";
import type { Answer } from "../../wire/report.ts";
import { MOST_UNSEEN, type RunRecord, renewed, startAgain } from "./run_record.ts";
import { attemptId, sideId } from "./task_requests.ts";
import { decide, ID, iso, noted, now, reported, SECOND, suspended } from "./testing/sample_decisions.ts";
import { failureOfClass, JOB_UID, observed, sampleSnapshot, sampleTask } from "./testing/samples.ts";

const failed: RunRecord = { ...noted, edition: "a", failures: 1, outcome: "Failed" };
const waiting: RunRecord = {
  edition: "a",
  step: "Work",
  attempt: 2,
  failures: 1,
  lastFailure: failureOfClass("Full"),
  notBefore: iso(now + 300_000),
};

describe("a task that is wanted again", () => {
  test("goes on counting its attempts", () => {
    const record = startAgain({ ...failed, attempt: 3, side: 2, failures: 3 });
    expect(record).toEqual({ attempt: 4, step: "Work", side: 2, failures: 0 });
    expect(decide({ record }).intents).toMatchObject([
      { type: "Ensure", request: { id: attemptId(sampleTask, 4) } },
    ]);
  });

  test("remembers what may come late", () => {
    expect(startAgain({ ...failed, unseen: [ID] }).unseen).toEqual([ID]);
    expect(startAgain({ ...failed, unseen: [ID], leftovers: [ID] }).unseen).toEqual([ID]);
  });

  test("asks first what its last attempt may have left", () => {
    const record = startAgain({ ...failed, side: 2, leftovers: [ID] });
    expect(record).toEqual({ attempt: 1, step: "Settle", side: 3, failures: 0, leftovers: [ID] });
  });

  const settling: RunRecord = { ...startAgain({ ...failed, leftovers: [ID] }), job: "job-1" };
  const settled = (record: RunRecord, ...snapshots: ReturnType<typeof sampleSnapshot>[]) => {
    const answer: Answer = {
      catalog: { stats: { snapshots: 1, storedBytes: 1 }, found: snapshots.length, snapshots },
    };
    return decide({ record, runs: [reported(undefined, { answer }, sideId(sampleTask, "Settle", 1))] });
  };

  test("may find that everything was made", () => {
    expect(settled(settling, sampleSnapshot()).record).toMatchObject({ outcome: "Succeeded", attempt: 1 });
  });

  test("begins at once when nothing was left, and forgets about it", () => {
    const { record, wakeAt } = settled(settling);
    expect(record).toEqual({ attempt: 2, step: "Work", side: 1, failures: 0 });
    expect(wakeAt).toBe(now);
  });

  test("deletes all that was left before, and then begins at once", () => {
    const { record } = settled({ ...settling, leftovers: ["older", ID] });
    expect(record).toMatchObject({ step: "CleanUp", side: 2 });
    const clean = sideId(sampleTask, "CleanUp", 2);
    expect(decide({ record }).intents).toMatchObject([
      { request: { id: clean, work: { work: { delete: { runs: ["older", ID] } } } } },
    ]);
    const cleaned = decide({ record: { ...record, job: "job-1" }, runs: [reported(undefined, {}, clean)] });
    expect(cleaned.record).toEqual({ attempt: 2, step: "Work", side: 2, failures: 0 });
    expect(cleaned.wakeAt).toBe(now);
  });
});

describe("renewed()", () => {
  test("begins anew what failed, after an edit", () => {
    expect(renewed(failed, "b")).toEqual({ edition: "b", attempt: 2, step: "Work", failures: 0 });
    expect(decide({ record: failed, edition: "b" }).intents).toMatchObject([{ request: { id: SECOND } }]);
  });

  test("waits no longer, after an edit", () => {
    expect(decide({ record: waiting, edition: "a" }).intents).toEqual([]);
    expect(decide({ record: waiting, edition: "b" }).intents).toMatchObject([{ request: { id: SECOND } }]);
  });

  test("leaves alone what succeeded", () => {
    const record: RunRecord = { ...failed, outcome: "Succeeded" };
    expect(renewed(record, "b")).toBe(record);
  });

  test("leaves what runs, and counts the edit once it has failed", () => {
    const record: RunRecord = { ...noted, edition: "a", failures: 2 };
    expect(renewed(record, "b")).toBe(record);
    const over = decide({ record, edition: "b", runs: [reported("WrongPassword")] });
    expect(over.record).toMatchObject({ edition: "a", outcome: "Failed" });
    expect(decide({ record: over.record, edition: "b" }).intents).toContainEqual(
      expect.objectContaining({ type: "Ensure", request: expect.objectContaining({ id: SECOND }) }),
    );
  });

  test("leaves what has its Job, though that is not noted yet", () => {
    const record: RunRecord = { attempt: 1, step: "Work", failures: 0, edition: "a" };
    const run = observed({ job: suspended() });
    expect(decide({ record, edition: "b", runs: [run] }).record).toMatchObject({
      edition: "a",
      job: JOB_UID,
    });
    expect(decide({ record, edition: "b" }).record.edition).toBe("b");
  });

  test("does not begin anew what the edit itself has ended", () => {
    const record: RunRecord = { ...noted, edition: "a" };
    const over = decide({ record, edition: "b", cancel: true, runs: [reported("Cancelled")] });
    expect(over.record).toMatchObject({ edition: "b", outcome: "Cancelled" });
  });

  test("takes what has no edition yet for the present one", () => {
    const { edition: _, ...before } = failed;
    expect(renewed(before, "b")).toEqual({ ...before, edition: "b" });
  });

  test("changes nothing where edits do not count", () => {
    expect(renewed(failed, undefined)).toBe(failed);
  });
});

describe("a run", () => {
  const ended = (record: RunRecord) => decide({ record }).intents.flatMap((intent) => intentRuns(intent));
  const intentRuns = (intent: ReturnType<typeof decide>["intents"][number]) =>
    intent.type === "Ensure" ? [intent.request.work.endedRuns] : [];

  test("is told of no others when it is the first", () => {
    expect(ended({ attempt: 1, step: "Work", failures: 0 })).toEqual([undefined]);
  });

  test("is told which earlier ones nothing is left of", () => {
    expect(ended({ attempt: 1, step: "Settle", side: 1, failures: 1 })).toEqual([[ID]]);
    expect(ended({ attempt: 2, step: "Work", side: 1, failures: 1 })).toEqual([
      [ID, sideId(sampleTask, "Settle", 1), sideId(sampleTask, "CleanUp", 1)],
    ]);
  });

  test("is not told of one that may be at work, out of sight: it has its locks for a reason", () => {
    const record: RunRecord = { attempt: 2, step: "Work", side: 1, failures: 1, unseen: [ID] };
    expect(ended(record)).toEqual([[sideId(sampleTask, "Settle", 1), sideId(sampleTask, "CleanUp", 1)]]);
  });

  test("is told of none when there were more of these than are remembered", () => {
    const unseen = Array.from({ length: MOST_UNSEEN }, (_, i) => attemptId(sampleTask, i + 3));
    const record: RunRecord = { attempt: MOST_UNSEEN + 3, step: "Work", failures: 1, unseen };
    expect(ended(record)).toEqual([undefined]);
  });

  test("is told of the newest alone when there are many", () => {
    const [runs = []] = ended({ attempt: 100, step: "Work", failures: 1 });
    expect(runs).toHaveLength(20);
    expect(runs.at(-1)).toBe(attemptId(sampleTask, 99));
  });
});
