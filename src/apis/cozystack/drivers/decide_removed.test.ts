import { expect, test } from "vitest";
import { blocked } from "../../../core/reconcile/problem.ts";
import { NOW, sampleBackup } from "../testing/samples.ts";
import { decideRemoved } from "./decide_removed.ts";

const backup = sampleBackup("first", {}, { phase: "Ready", driverState: { round: "2", finished: "0" } });

test("a Backup whose data is gone goes", () => {
  expect(decideRemoved(backup, { type: "Succeeded", message: "gone" }, NOW)).toEqual({
    intents: [{ type: "LetGo", finalizer: "strategy.backups.cozystack.io/artifact" }],
    events: [{ type: "Normal", reason: "BackupRemoved", message: "gone" }],
  });
});

test("one whose data is being deleted says so, and keeps what its driver remembers", () => {
  const step = { type: "Running", message: "on it", wakeAt: NOW + 1 } as const;
  expect(decideRemoved(backup, step, NOW)).toMatchObject({
    status: { phase: "Deleting", message: "on it", driverState: { round: "2", finished: "0" } },
    wakeAt: NOW + 1,
  });
});

test("one that waits for something says for what", () => {
  const { status, intents } = decideRemoved(backup, { type: "Waiting", problem: blocked("No", "no") }, NOW);
  expect(status).toMatchObject({ phase: "Deleting", message: "no" });
  expect(intents).toEqual([]);
});

test("one whose deletion failed stays, says why, and is tried again in another round, later", () => {
  const step = { type: "Failed", reason: "PodFailed", message: "exit 1" } as const;
  const { status, wakeAt } = decideRemoved(backup, step, NOW);
  expect(status).toMatchObject({
    phase: "Deleting",
    driverState: { round: "3", notBefore: "2026-05-24T12:05:00Z" },
    conditions: expect.arrayContaining([
      expect.objectContaining({ reason: "DeletionFailed", message: "exit 1" }),
    ]),
  });
  expect(wakeAt).toBe(NOW + 300_000);
});
