import { describe, expect, test } from "vitest";
import type { RunningRun, RunState } from "../run_state.ts";
import { failureOfClass, sampleResult } from "../testing/samples.ts";
import { sessionStart } from "./session_start.ts";

const running: RunningRun = { phase: "Running", pod: "p", logTail: [], terminating: false };
const listens = { version: 1, step: "session" } as const;

describe("sessionStart()", () => {
  test.each<[string, RunState, string]>([
    ["a suspended Job", { phase: "Preparing", suspended: true }, "wait"],
    ["a pod on its way", { phase: "Preparing", suspended: false }, "wait"],
    ["a mover that connects", { ...running, progress: { version: 1, step: "Connecting" } }, "wait"],
    ["a mover that was told to end", { ...running, progress: listens, terminating: true }, "wait"],
    ["a mover that listens", { ...running, progress: listens }, "listening"],
    ["no Job", { phase: "Absent" }, "over"],
    ["a lost one", { phase: "Lost", why: "Killed", message: "killed", logTail: [] }, "over"],
  ])("of %s", (_, state, type) => {
    expect(sessionStart(state).type).toBe(type);
  });

  test("keeps the class, the remedy and the words of a failure", () => {
    const failure = { ...failureOfClass("WrongPassword"), detail: "invalid repository password" };
    const result = sampleResult({ failure });
    expect(sessionStart({ phase: "Ended", result, source: "Report", logTail: [] })).toMatchObject({
      type: "over",
      error: failure,
    });
  });

  test("of a mover that ended without a failure is over all the same", () => {
    const ended = { phase: "Ended", result: sampleResult(), source: "Report", logTail: [] } as const;
    expect(sessionStart(ended)).toMatchObject({ type: "over", error: { class: "Interrupted" } });
  });

  test("says what holds a pod back, and for how long that may be", () => {
    const message = "The mover waits for the Secret x, which is not there.";
    expect(
      sessionStart({ phase: "Waiting", reason: "SecretMissing", message, class: "structural" }),
    ).toMatchObject({ type: "held", failure: { class: "structural", reason: "SecretMissing", message } });
  });
});
