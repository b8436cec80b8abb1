import { describe, expect, test } from "vitest";
import { maySnapshotNow, type SourceQuestion, sourceState } from "./source_state.ts";

const HOUR = 3_600_000;
const PVC = { enabled: true, tier: "hourly", problems: [], minBackupAge: 2 * HOUR } as const;
const BASE: SourceQuestion = {
  pvc: PVC,
  bound: true,
  createdAt: 0,
  restoring: "none",
  missed: undefined,
  beside: undefined,
  duplicate: undefined,
  now: 3 * HOUR,
};
const MISSED = { missed: "2026-01-01T00:00:00Z" };

describe("sourceState()", () => {
  test.each<[string, Partial<SourceQuestion>, string, boolean]>([
    ["a bound PVC that is old enough", {}, "ready", true],
    ["a PVC that is pending", { bound: false }, "waiting_for_pvc_bound", false],
    ["a PVC that waits for its data", { bound: false, restoring: "running" }, "waiting_for_restore", false],
    ["a bound PVC whose restore goes on", { restoring: "running" }, "waiting_for_restore", false],
    ["a young PVC that started empty", { now: HOUR }, "waiting_for_min_age", true],
    ["a young PVC that was restored", { now: HOUR, restoring: "completed" }, "ready", true],
    ["a PVC that missed its restore", MISSED, "missed_restore", true],
    ["a young PVC that missed its restore", { ...MISSED, now: HOUR }, "missed_restore", true],
    [
      "a PVC that missed its restore and is pending",
      { ...MISSED, bound: false },
      "waiting_for_pvc_bound",
      false,
    ],
    ["a PVC that VolSync backs up", { beside: "data" }, "waiting_for_handover", false],
    ["the second PVC of an identity, in strict", { duplicate: "photos/data" }, "error", false],
    ["the tier disabled", { pvc: { ...PVC, tier: "disabled" } }, "disabled", false],
    ["enabled: false", { pvc: { ...PVC, enabled: false } }, "disabled", false],
    ["a wrong value", { pvc: { ...PVC, problems: [{ key: "k", message: "k is wrong" }] } }, "error", false],
  ])("says of %s: %s", (_, given, state, now) => {
    const decision = sourceState({ ...BASE, ...given });
    expect(decision.state).toBe(state);
    expect(maySnapshotNow(decision)).toBe(now);
  });

  test("looks again when the PVC is old enough", () => {
    expect(sourceState({ ...BASE, now: HOUR })).toEqual({
      state: "waiting_for_min_age",
      message:
        "Backups begin when the PVC is 120 minutes old, so that a volume that is still empty is not backed up.",
      wakeAt: 2 * HOUR,
    });
  });
});
