import { describe, expect, test } from "vitest";
import { err, ok } from "../../lib/result.ts";
import { blocked } from "../reconcile/problem.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { AT, taskPlan, working } from "../testing/samples.ts";
import type { Place } from "../work/queue/place.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { UseDecision } from "../workloads/scaling/decide_use.ts";
import type { ObservedRestore } from "./observe_restore.ts";
import type { RestoreSpec } from "./restore.ts";
import { RESTORE } from "./restore_tasks.ts";
import { claimFor, decide, ours, restore, run } from "./testing/restore_samples.ts";

describe("decideRestore(): seats", () => {
  const place: Place = { pool: "uid-nas", since: AT, rank: 0, tenant: "billing/again", seated: true };
  const waiting = { [RESTORE]: { ...FIRST_ATTEMPT, place } };

  test.each<[string, Partial<RestoreSpec>, Partial<ObservedRestore>]>([
    ["claim is somebody's", {}, { claim: claimFor("uid-other") }],
    [
      "claim is going",
      { target: { pvcRef: { name: "mine", scaleDownWorkloads: false } } },
      { claim: claimFor("", { deletionTimestamp: AT }) },
    ],
    ["mover may not run", {}, { claim: ours, run: err(blocked("PrivilegedMoverForbidden", "no.")) }],
  ])("are for those who can begin: none is kept by one whose %s", (_, spec, more) => {
    const decision = decide({ restore: restore({ spec, status: { work: waiting } }), ...more });
    expect(decision.status?.work).toEqual({ [RESTORE]: FIRST_ATTEMPT });
  });

  test("are given back by a run that may not begin for what uses the volume", () => {
    const use: UseDecision = { type: "InUse", reason: "VolumeInUse", message: "m" };
    const state: TaskState = { phase: "Held", reason: "VolumeInUse", message: "m" };
    const held = ok(taskPlan(RESTORE, state, { intents: [{ type: "Remove" }] as never }));
    const decision = decide({ restore: restore({ status: { work: waiting } }), claim: ours, use, run: held });
    expect(decision.intents).toMatchObject([{ type: "Run" }]);
    expect(decision.status?.work).toEqual({ [RESTORE]: FIRST_ATTEMPT });
  });
});

describe("decideRestore(): one that has failed", () => {
  const record: RunRecord = { ...FIRST_ATTEMPT, edition: specFingerprint(restore()), outcome: "Failed" };
  const status = { phase: "Failed", failure: { errorClass: "Unreachable" }, work: { [RESTORE]: record } };

  test.each<[string, Partial<ObservedRestore>]>([
    ["there is no claim", {}],
    ["there is no prime claim", { through: {} }],
    ["the claim is somebody's", { claim: claimFor("uid-other") }],
    ["its claim is there", { claim: ours, use: { type: "Free" } }],
  ])("stays so, and its run is tidied up: %s", (_, more) => {
    const object = restore({ status });
    expect(decide({ restore: object, ...more })).toEqual({ intents: [] });
    const ended: TaskState = { phase: "Ended", outcome: "Failed", logTail: [], settled: false };
    const left = run(ended, { intents: [{ type: "Remove" }] as never });
    const decision = decide({ restore: object, ...more, run: left });
    expect(decision.status).toBeUndefined();
    expect(decision.intents).toMatchObject([{ type: "Run", decision: { intents: [{ type: "Remove" }] } }]);
  });

  test("begins anew after an edit", () => {
    const edited = restore({ metadata: { generation: 2 }, status });
    expect(decide({ restore: edited }).intents).toMatchObject([{ type: "EnsureClaim" }]);
  });
});

describe("decideRestore(): one that has completed", () => {
  test("is never done again, whatever is edited", () => {
    const object = restore({ metadata: { generation: 2 }, status: { phase: "Completed" } });
    expect(decide({ restore: object, claim: ours })).toEqual({ intents: [] });
    const tidy = decide({ restore: object, claim: ours, run: run(working, { intents: [] }) });
    expect(tidy.status).toBeUndefined();
  });
});
