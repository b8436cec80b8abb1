import { expect, test } from "vitest";
import type { Backup } from "../../../kinds/cozystack/generated/backup.ts";
import { NOW, sampleBackup } from "../testing/samples.ts";
import { decideKept, isLookedAt } from "./decide_kept.ts";

const HOUR = 3_600_000;
const ready = sampleBackup("first", {}, { phase: "Ready", artifact: { uri: "velero://velero/one" } });
const gone = { ...ready, status: decideKept(ready, "Velero no longer has it", NOW).status } as Backup;

test("a Backup whose data is gone is not Ready, and says what to do", () => {
  const { status, events, wakeAt } = decideKept(ready, "Velero no longer has it", NOW);
  expect(status).toMatchObject({
    phase: "Failed",
    message: "Velero no longer has it. Nothing can be restored from it: delete this Backup.",
    artifact: { uri: "velero://velero/one" },
  });
  expect(events).toMatchObject([{ type: "Warning", reason: "DataGone" }]);
  expect(wakeAt).toBe(NOW + HOUR);
});

test("it is Ready again should the data come back", () => {
  const { status } = decideKept(gone, undefined, NOW);
  expect(status).toMatchObject({ phase: "Ready" });
  expect(status).not.toHaveProperty("message");
});

test.each([
  ["is there", ready, undefined],
  ["is still gone", gone, "Velero no longer has it"],
])("nothing is written while the data %s, and it is looked at again", (_, backup, why) => {
  expect(decideKept(backup, why, NOW)).toEqual({ intents: [], wakeAt: NOW + HOUR });
});

test.each([
  ["Ready", ready, true],
  ["without its data", gone, true],
  ["failed for another reason", sampleBackup("first", {}, { phase: "Failed" }), false],
  ["on its way", sampleBackup("first", {}, { phase: "Pending" }), false],
])("one that is %s is looked at: %#", (_, backup, looked) => {
  expect(isLookedAt(backup)).toBe(looked);
});
