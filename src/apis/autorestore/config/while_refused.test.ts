import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import {
  claimed,
  NOW,
  sampleBackup,
  sampleConfig,
  sampleRepository,
  sampleTarget,
} from "../testing/samples.ts";
import { decideConfig } from "./decide_config.ts";
import type { ObservedConfig } from "./observed_config.ts";
import { whileRefused } from "./while_refused.ts";

const HOUR = 3_600_000;
const status = { reason: "Forbidden", message: "exceeded quota" };
const error = new ApiError({ request: "create", code: 403, status });

/** One target is due, one is not, and has one backup too many. */
function refused(kept: "all" | "none" = "none") {
  const targets = [
    sampleTarget("nas", { backupSchedule: "0 * * * *" }),
    sampleTarget("b2", { backupSchedule: "30 * * * *", retention: { keepLast: 1 } }),
  ];
  const work = {
    "slot-nas": { after: NOW - HOUR, cron: "0 * * * * UTC" },
    pruned: { successful: 4, failed: 0 },
  };
  const ended = (name: string, completionTime: string) =>
    sampleBackup(name, {
      target: "b2",
      status: { phase: "Completed", completionTime, startTime: completionTime },
    } as never);
  const observed: ObservedConfig = {
    config: { ...sampleConfig({ backupTargets: targets }), status: { work } },
    claims: { managed: [claimed("data")], free: [], released: [], forbidden: [] },
    backups: [ended("old", "2026-05-24T10:00:00Z"), ended("new", "2026-05-24T11:00:00Z")],
    restores: [],
    repository: () => ({ ...sampleRepository(), status: { phase: "Ready" } }),
    restoresInto: () => [],
    backup: () => undefined,
    isWanted: () => false,
    isDone: () => false,
    now: NOW,
  };
  const decision = decideConfig(observed);
  const surplus = decision.surplus.map(({ metadata }) => metadata.name);
  const said = whileRefused(observed, decision, { error, kept: kept === "all" ? decision.surplus : [] });
  return { surplus, due: decision.backups.length, ...said };
}

test("a refused write is told in the condition and as an Event, and looked at again", () => {
  const { status, news, wakeAt } = refused();
  const message =
    "The API server refuses a write: create: exceeded quota. What was asked for in that namespace is tried again; allow it, or change what refuses it (a quota, a policy, a webhook).";
  expect(status.conditions).toContainEqual(
    expect.objectContaining({ type: "Ready", status: "False", reason: "WriteRefused", message }),
  );
  expect(news).toEqual([{ type: "Warning", reason: "WriteRefused", message }]);
  expect(wakeAt).toBe(NOW + 300_000);
});

test("what was due stays due, and what is not begins with its next time", () => {
  const { status, due } = refused();
  expect(due).toBe(1);
  expect(status.work).toMatchObject({
    "slot-nas": { after: NOW - HOUR },
    "slot-b2": { after: NOW },
  });
  expect(status.targets?.[0]).not.toHaveProperty("lastBackup");
  expect(status).toMatchObject({ managedPVCs: ["home/data"], pvcCount: 1, targetCount: 2 });
});

test("what retention has deleted counts, and what it may not delete does not", () => {
  expect(refused().surplus).toEqual(["old"]);
  expect(refused().status.work).toMatchObject({ pruned: { successful: 5 } });
  expect(refused("all").status.work).toMatchObject({ pruned: { successful: 4 } });
});
