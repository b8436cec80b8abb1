import { expect, test } from "vitest";
import { heldUp } from "./shown_object.ts";

const metadata = { name: "b", uid: "u", resourceVersion: "1", creationTimestamp: "" };
const run = { apiVersion: "v1", kind: "Run", metadata };
const saying = (type: string, reason: string) => {
  const condition = { type, status: "True", reason, message: "said", lastTransitionTime: "" } as const;
  return heldUp({ ...run, status: { conditions: [condition] } });
};

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
  expect(heldUp(run)).toBeUndefined();
});
