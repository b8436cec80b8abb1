import { expect, test } from "vitest";
import { taskPlan, UNREACHABLE, working } from "../testing/samples.ts";
import type { TaskDecision } from "../work/task_decision.ts";
import { cut, sentence, shownFailure, shownLog, statusLog } from "./task_words.ts";

const decision = (more: Partial<TaskDecision>, failed = true): TaskDecision => ({
  ...taskPlan("snapshot", working, failed ? { record: { lastFailure: UNREACHABLE } } : {}).decision,
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

const remedy = "Correct it.";
test.each<[string, { readonly message: string; readonly detail?: string }, string]>([
  ["nothing of its own", { message: "it failed" }, "it failed. Correct it."],
  [
    "several lines, of which the last tells",
    { message: "it failed", detail: "opening\nBucket name cannot be shorter than 3 characters\n\n" },
    "it failed. The engine said: Bucket name cannot be shorter than 3 characters. Correct it.",
  ],
  [
    "what it calls fatal, though hints follow",
    {
      message: "it failed",
      detail: "Fatal: no config file\nIs there a repository at the following location?\n/r/",
    },
    "it failed. The engine said: Fatal: no config file. Correct it.",
  ],
  [
    "what is said already",
    { message: "x: no such host", detail: "no such host" },
    "x: no such host. Correct it.",
  ],
  [
    "a whole sentence",
    { message: "It failed!", detail: "Gone." },
    "It failed! The engine said: Gone. Correct it.",
  ],
])("a failure carries the engine's last line: %s", (_, failure, said) => {
  expect(sentence({ ...failure, remedy })).toBe(said);
});

test("a failure carries no more of a long line than a condition has room for", () => {
  expect(sentence({ message: "it failed", detail: "x".repeat(5000), remedy }).length).toBeLessThan(320);
});
