import { describe, expect, test } from "vitest";
import { AT } from "../testing/samples.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import type { Restore, RestoreOptions, RestoreState } from "./restore.ts";
import { RESTORE } from "./restore_tasks.ts";
import { ACKNOWLEDGE_INCOMPLETE, isIncomplete, targetIncomplete } from "./target_incomplete.ts";
import { inPlace } from "./testing/in_place_samples.ts";
import { restore } from "./testing/restore_samples.ts";

const failure = (name: string) => ({ class: name, message: "m", remedy: "r" }) as RunRecord["lastFailure"];
const state = (record: object, phase = "Failed") =>
  ({ phase, work: { [RESTORE]: { ...FIRST_ATTEMPT, ...record } } }) as RestoreState;
const broken = { startedAt: AT, lastFailure: failure("TargetFull") };

describe("targetIncomplete()", () => {
  test.each<[string, RestoreState, boolean]>([
    ["full in the middle", state(broken), true],
    [
      "unreachable in the middle, between two attempts",
      state({ ...broken, lastFailure: failure("Unreachable") }, "Restoring"),
      true,
    ],
    ["cancelled while it wrote", state({ startedAt: AT, outcome: "Cancelled" }), true],
    ["refused before it wrote", state({ startedAt: AT, lastFailure: failure("PathMissing") }), false],
    [
      "refused for files that are there",
      state({ startedAt: AT, lastFailure: failure("TargetExists") }),
      false,
    ],
    ["never started", state({ lastFailure: failure("TargetFull") }), false],
    ["at work for the first time", state({ startedAt: AT }, "Restoring"), false],
    ["complete", state(broken, "Completed"), false],
  ])("a restore that is %s", (_, status, wanted) => {
    const conditions = targetIncomplete(inPlace(), status) as RestoreState["conditions"] & {};
    expect(isIncomplete({ conditions })).toBe(wanted);
  });

  test("is said of no claim that was made for the restore", () => {
    expect(targetIncomplete(restore(), state(broken))).toEqual([]);
  });

  const known = (): Restore => {
    const conditions = targetIncomplete(inPlace(), state(broken)) as RestoreState["conditions"] & {};
    return inPlace({ ...state(broken), conditions, timing: { startTime: AT } });
  };
  const ended = (options: Partial<RestoreOptions>, endTime: string, phase = "Completed"): Restore => {
    const later = inPlace({ phase, timing: { endTime } }, { name: "later", uid: "uid-later" });
    return { ...later, spec: { ...later.spec, options: { ...later.spec.options, ...options } } };
  };
  const withoutSnapshot = (one: Restore): Restore => ({
    ...one,
    status: { ...one.status, resolved: { noSnapshot: true } },
  });
  test.each<[string, Restore, string]>([
    ["everything, later", ended({}, "2026-06-01T00:00:00Z"), "False"],
    ["everything, before", ended({}, "2026-01-01T00:00:00Z"), "True"],
    ["one folder", ended({ path: "letters" }, "2026-06-01T00:00:00Z"), "True"],
    ["nothing: it failed", ended({}, "2026-06-01T00:00:00Z", "Failed"), "True"],
    ["what is not there", ended({ existingFiles: "Keep" }, "2026-06-01T00:00:00Z"), "True"],
    ["nothing: there was no snapshot", withoutSnapshot(ended({}, "2026-06-01T00:00:00Z")), "True"],
  ])("is taken back by another restore of %s", (_, later, status) => {
    expect(targetIncomplete(known(), state(broken), [later])).toMatchObject([{ status }]);
  });

  test("is taken back for this one time where somebody takes the volume as it is", () => {
    const acknowledged = (since: string) => {
      const one = known();
      const conditions = one.status?.conditions?.map((said) => ({ ...said, lastTransitionTime: AT }));
      const annotations = { [ACKNOWLEDGE_INCOMPLETE]: since };
      return { ...one, metadata: { ...one.metadata, annotations }, status: { ...one.status, conditions } };
    };
    const said = (since: string) => targetIncomplete(acknowledged(since) as Restore, state(broken));
    expect(said(AT)).toMatchObject([{ status: "False", reason: "Acknowledged" }]);
    expect(said("2026-01-01T00:00:00Z")).toMatchObject([{ status: "True" }]);
  });

  test("stays said while it is tried again", () => {
    expect(targetIncomplete(known(), state({}, "Pending"))).toMatchObject([{ status: "True" }]);
  });
});
