import { describe, expect, test } from "vitest";
import { ok } from "../../lib/result.ts";
import { refused } from "../reconcile/problem.ts";
import { AT, NOW, working } from "../testing/samples.ts";
import type { Claim } from "../volumes/claim_request.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { UseDecision } from "../workloads/scaling/decide_use.ts";
import { RESTORE } from "./restore_tasks.ts";
import {
  decideInPlace,
  existing,
  IN_USE,
  inPlace,
  keeper,
  remembered,
  SCALE,
} from "./testing/in_place_samples.ts";
import {
  begins,
  claimFor,
  conditionOf,
  decide,
  heldBy,
  ours,
  PINNED,
  RESTORES,
  run,
} from "./testing/restore_samples.ts";

describe("decideRestore(): the target", () => {
  test("the claim is made once it is decided what goes into it, for this Restore and without an owner", () => {
    const decision = decide();
    expect(decision.status).toMatchObject({
      phase: "Resolving",
      resolved: PINNED,
      target: { pvcRef: { name: "restored" } },
    });
    expect(decision.intents).toEqual([
      {
        type: "EnsureClaim",
        request: {
          namespace: "billing",
          name: "restored",
          storageClassName: undefined,
          capacity: "1Gi",
          accessModes: ["ReadWriteOnce"],
          madeFor: "uid-again",
        },
      },
    ]);
  });

  test("a claim that its API never lets be written is refused, and nothing begins", () => {
    const targetProblem = refused("HoldsRepository", "it holds backups");
    const decision = decideInPlace({ targetProblem });
    expect(decision).toMatchObject({ status: { phase: "Failed" }, intents: [] });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "HoldsRepository" });
  });

  const WANTED: UseDecision = { type: "InUse", reason: "VolumeInUse", message: "wanted" };

  test("no claim is made for those who would have it before its data", () => {
    const decision = decide({ use: WANTED });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "VolumeInUse", message: "wanted" });
    expect(decision.events).toMatchObject([{ type: "Warning" }]);
    expect(decide({ use: { type: "Free" } }).intents).toMatchObject([{ type: "EnsureClaim" }]);
  });

  test.each([
    ["that somebody wants", WANTED],
    ["with a volume that is not new", { type: "InUse", reason: "VolumeNotNew", message: "old" }],
  ] satisfies [string, UseDecision][])("a claim %s is not written into, and that is said", (_, use) => {
    const state: TaskState = { phase: "Held", reason: use.reason, message: use.message };
    const decision = decide({ claim: ours, use, run: run(state) });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    expect(decision.events).toMatchObject([{ type: "Warning", reason: use.reason }]);
  });

  test.each([
    ["that somebody else made", claimFor("uid-other")],
    ["that is going", claimFor("uid-again", { deletionTimestamp: AT })],
  ])("a claim %s is never written into", (_, claim) => {
    const decision = decide({ claim, run: run(working) });
    expect(decision.intents).toEqual([]);
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "ClaimExists" });
  });
});

describe("decideRestore() into an existing claim", () => {
  test.each<[string, Claim | undefined, string, string]>([
    ["that is not there is waited for", undefined, "ClaimNotFound", "Pending"],
    ["that is going is left alone", existing({}, { deletionTimestamp: AT }), "ClaimDeleting", "Pending"],
    ["that is a block device is refused", existing({ volumeMode: "Block" }), "BlockVolume", "Failed"],
  ])("one %s", (_, found, reason, phase) => {
    const decision = decideInPlace({ claim: found, run: run(begins) });
    expect(decision).toMatchObject({ status: { phase }, intents: [] });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason });
  });

  test("one in use is refused with the remedy, and looked at again", () => {
    const decision = decideInPlace({ use: IN_USE, run: run(heldBy("VolumeInUse")) });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "VolumeInUse", message: "mounted" });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "VolumeInUse" }]);
  });

  test.each<[number, UseDecision]>([
    [2_000, SCALE],
    [2_000, { type: "Waiting", reason: "ScalingDown", message: "m" }],
    [15_000, { type: "Waiting", reason: "Binding", message: "m" }],
    [15_000, { type: "Waiting", reason: "VolumeBusy", message: "m" }],
    [15_000, IN_USE],
  ])("is looked at again after %i ms with %j", (after, use) => {
    const held = use.type === "Free" ? "" : use.reason;
    expect(decideInPlace({ use, run: run(heldBy(held)) }).wakeAt).toBe(NOW + after);
  });

  test("what uses it is remembered, then held, then scaled down", () => {
    const decision = decideInPlace({ use: SCALE, run: run(heldBy("ScalingDown")) });
    expect(decision.status).toMatchObject({ phase: "Pending", scaledWorkloads: remembered });
    expect(decision.intents).toMatchObject([
      { type: "Hold", finalizer: RESTORES.finalizer },
      { type: "Scale", intents: [{ type: "ScaleDown" }] },
    ]);
  });

  test("more workloads than the status remembers are not scaled down, and that is said", () => {
    const many = Array.from({ length: 17 }, (_, n) => {
      const { object, ...workload } = keeper();
      return { ...workload, object: { ...object, metadata: { ...object.metadata, name: `keeper-${n}` } } };
    });
    const decision = decideInPlace({ use: { ...SCALE, workloads: many }, run: run(heldBy("ScalingDown")) });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(decision.status).not.toHaveProperty("scaledWorkloads");
    expect(conditionOf(decision, "Ready")).toMatchObject({
      reason: "TooManyWorkloads",
      message: expect.stringContaining("17 workloads use the claim, and a restore scales down at most 16."),
    });
    expect(decision.wakeAt).toBeGreaterThan(NOW);
    const some = decideInPlace({
      use: { ...SCALE, workloads: many.slice(1) },
      run: run(heldBy("ScalingDown")),
    });
    expect(some.status?.scaledWorkloads).toHaveLength(16);
  });

  test("a workload that refuses is tried again, and that it refused stays said meanwhile", () => {
    const conditions = [{ type: "Ready", status: "False", reason: "CannotScale", message: "no" }];
    const decision = decideInPlace({
      restore: inPlace({ conditions }),
      use: SCALE,
      run: run(heldBy("ScalingDown")),
    });
    expect(decision.intents).toContainEqual({ type: "Scale", intents: SCALE.intents });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "CannotScale", message: "no" });
    expect(decision.events).toEqual([]);
    const work = { [RESTORE]: { ...FIRST_ATTEMPT, job: "uid-job" } };
    const writes = decideInPlace({ restore: inPlace({ conditions, work }), use: SCALE, run: run(begins) });
    expect(writes.intents).toContainEqual({ type: "Scale", intents: SCALE.intents });
    expect(conditionOf(writes, "Ready")).toMatchObject({ reason: "CannotScale" });
    expect(writes.events).toEqual([]);
    const free = decideInPlace({ restore: inPlace({ conditions }), use: { type: "Free" }, run: run(begins) });
    expect(conditionOf(free, "Ready")).toMatchObject({ reason: "Preparing" });
  });

  test("nothing is scaled down for a repository that is away", () => {
    const decision = decideInPlace({ use: SCALE, run: run(heldBy("RepositoryNotReady")) });
    expect(decision.intents).toEqual([]);
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "RepositoryNotReady" });
  });

  test("one that is free is written", () => {
    const decision = decideInPlace({ use: { type: "Free" }, run: run(begins) });
    expect(decision.status).toMatchObject({ phase: "Restoring", target: { pvcRef: { name: "data" } } });
  });

  test("without a snapshot it stays as it is, where the policy wants it so", () => {
    const resolution = ok({ type: "Pinned", pinned: { ...PINNED, noSnapshot: true } } as const);
    const decision = decideInPlace({ resolution });
    expect(decision).toMatchObject({ status: { phase: "Completed" }, intents: [] });
    expect(conditionOf(decision, "Ready")).toMatchObject({
      message: expect.stringContaining("left as it is"),
    });
  });
});
