import { expect, test } from "vitest";
import { blocked } from "../../../core/reconcile/problem.ts";
import { NOW, sampleJob, sampleRestoreJob } from "../testing/samples.ts";
import { decideDriven } from "./decide_driven.ts";

const strategyRef = { apiGroup: "g", kind: "K", name: "n" };
const pending = sampleJob("first", { phase: "Pending", strategyRef, parameters: { a: "b" } });
const running = sampleJob("first", {
  phase: "Running",
  startedAt: "2026-05-24T11:59:30Z",
  strategyRef,
  driverState: { round: "1" },
});

test("a job that begins says when, and keeps what the core found", () => {
  const { status } = decideDriven(pending, { type: "Running", message: "on it", state: { x: "1" } }, NOW);
  expect(status).toMatchObject({
    phase: "Running",
    startedAt: "2026-05-24T12:00:00Z",
    message: "on it",
    strategyRef,
    parameters: { a: "b" },
    driverState: { x: "1" },
  });
});

test("a job that runs keeps when it began, and its state", () => {
  const { status } = decideDriven(running, { type: "Running", message: "still" }, NOW);
  expect(status).toMatchObject({ startedAt: "2026-05-24T11:59:30Z", driverState: { round: "1" } });
});

test("a job that cannot go on has begun: it is its driver's, and the core leaves it alone", () => {
  const step = { type: "Waiting", problem: blocked("StrategyNotFound", "no") } as const;
  const { status, wakeAt } = decideDriven(pending, step, NOW);
  expect(status).toMatchObject({ phase: "Running", startedAt: "2026-05-24T12:00:00Z", message: "no" });
  expect(wakeAt).toBe(NOW + 300_000);
});

test("a BackupJob that succeeded names its Backup and forgets the driver's state", () => {
  const { status } = decideDriven(running, { type: "Succeeded", message: "done" }, NOW);
  expect(status).toMatchObject({
    phase: "Succeeded",
    completedAt: "2026-05-24T12:00:00Z",
    backupRef: { name: "first" },
  });
  expect(status?.driverState).toBeUndefined();
});

test("a RestoreJob that succeeded names no Backup", () => {
  const { status } = decideDriven(sampleRestoreJob("again"), { type: "Succeeded", message: "done" }, NOW);
  expect(status?.backupRef).toBeUndefined();
});

test("a job that failed says why, in message and condition", () => {
  const { status } = decideDriven(running, { type: "Failed", reason: "PodFailed", message: "exit 1" }, NOW);
  expect(status).toMatchObject({ phase: "Failed", message: "exit 1", completedAt: "2026-05-24T12:00:00Z" });
  expect(status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "False",
    reason: "PodFailed",
    message: "exit 1",
  });
});
