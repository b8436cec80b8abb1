import { expect, test } from "vitest";
import { condition, native } from "../testing/cli_samples.ts";
import { heldUp } from "./held_up.ts";

const saying = (type: string, reason: string) =>
  heldUp(native("Backup", "b", { status: { conditions: [condition(type, "True", reason, "said")] } }));

test.each(["Queued", "Preparing", "Running", "RunningHooks", "Settling", "SnapshotPending", "HandingOver"])(
  "a run that says %s goes on",
  (reason) => {
    expect(saying("Reconciling", reason)).toBeUndefined();
  },
);

test.each(["NodeSilent", "NodeUnknown", "PodStillThere", "BreakerOpen", "Unschedulable", "SnapshotFailing"])(
  "a run that says %s is held up",
  (reason) => {
    expect(saying("Reconciling", reason)).toBe("said");
  },
);

test("what is as it should be, or nobody has looked at, is not held up", () => {
  expect(saying("Ready", "Succeeded")).toBeUndefined();
  expect(heldUp(native("Backup", "b"))).toBeUndefined();
});
