import { describe, expect, test } from "vitest";
import { keyOf } from "../../../kube/object.ts";
import { endedJob, endedPod, runningPod, sampleJob } from "../testing/samples.ts";
import { sessionEnd } from "./session_end.ts";

const going = { ...runningPod().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };

describe("sessionEnd()", () => {
  test.each([
    ["goes on while its Job does", sampleJob(), undefined],
    ["goes on while its pod runs", runningPod(), undefined],
    ["ends with its Job", endedJob("CompletionsReached"), "it has ended"],
    ["ends with its failed Job", endedJob("BackoffLimitExceeded"), "it has ended"],
    ["ends with its pod", endedPod(0), "it has ended"],
    ["ends when its pod is told to", { ...runningPod(), metadata: going }, "its Pod is being deleted"],
  ])("a session %s", (_, object, why) => {
    expect(sessionEnd({ type: "added", key: keyOf(object), object })).toBe(why);
  });

  test("a session ends when its pod goes without a word", () => {
    expect(sessionEnd({ type: "removed", key: keyOf(runningPod()), previous: runningPod() })).toBe(
      "its Pod is gone",
    );
  });
});
