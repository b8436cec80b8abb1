import { expect, test } from "vitest";
import type { TaskDecision } from "../../core/work/task_decision.ts";
import { cut, shownFailure, shownLog, statusLog } from "./run_words.ts";
import { outlook, UNREACHABLE, working } from "./testing/samples.ts";

const decision = (more: Partial<TaskDecision>, failed = true): TaskDecision => ({
  ...outlook("snapshot", working, failed ? { record: { lastFailure: UNREACHABLE } } : {}).decision,
  ...more,
});

test("the log of an attempt that failed is shown while the task goes on, until it is followed by another", () => {
  expect(shownLog({}, decision({ lastLog: ["begun", "lost"] }))).toEqual({ logTail: "begun\nlost" });
  expect(shownLog({ logTail: "first" }, decision({}))).toEqual({ logTail: "first" });
  expect(shownLog({ logTail: "first" }, decision({ lastLog: ["second"] }))).toEqual({ logTail: "second" });
  expect(shownLog({ logTail: "first" }, decision({ lastLog: [] }))).toEqual({ logTail: "first" });
});

test("without a failure there is no log to show", () => {
  expect(shownLog({ logTail: "of another edition" }, decision({}, false))).toEqual({});
  expect(shownLog(undefined, decision({}))).toEqual({});
});

test("a failure that is shown is not told anew because its words were cut for lack of room", () => {
  const record = { attempt: 2, step: "Work", failures: 1 } as const;
  const failure = { ...UNREACHABLE, message: "the storage does not answer" };
  const whole = shownFailure(undefined, failure, record, 1_000);
  const shown = whole && { ...whole, message: cut(whole.message, 12) };
  expect(shown?.message).toBe("the storage…");
  expect(shownFailure(shown, failure, record, 60_000)).toBe(shown);
  expect(shownFailure(shown, failure, { ...record, attempt: 3 }, 60_000)?.message).toBe(failure.message);
  const other = { ...failure, message: "the store is gone" };
  expect(shownFailure(shown, other, record, 60_000)?.message).not.toBe(shown?.message);
});

test("a failure names the attempt that failed, also while the next one is awaited and under way", () => {
  const record = { attempt: 1, step: "Work", failures: 1, failedAttempt: 1 } as const;
  const shown = shownFailure(undefined, UNREACHABLE, record, 1_000);
  expect(shown).toMatchObject({ attempt: 1, at: "1970-01-01T00:00:01Z" });
  expect(shownFailure(shown, UNREACHABLE, { ...record, attempt: 2 }, 60_000)).toBe(shown);
  const again = { ...record, attempt: 2, failures: 2, failedAttempt: 2 };
  expect(shownFailure(shown, UNREACHABLE, again, 90_000)).toMatchObject({ attempt: 2 });
});

test("what is cut never ends within a character, which no API server would keep", () => {
  expect(cut("ab\u{1F600}cd", 4).isWellFormed()).toBe(true);
  expect(statusLog(["ab\u{1F600}cd"], 3)?.isWellFormed()).toBe(true);
});
