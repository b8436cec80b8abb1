import { expect, test } from "vitest";
import type { TaskDecision } from "../../core/work/task_decision.ts";
import { shownLog } from "./run_words.ts";
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
