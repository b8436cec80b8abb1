import { describe, expect, test } from "vitest";
import { ok } from "../../lib/result.ts";
import { AT, failed, NOW, succeeded, taskPlan, UNREACHABLE } from "../testing/samples.ts";
import { MADE_FOR } from "../volumes/claim_request.ts";
import { FILLED_FOR, POPULATED } from "../volumes/populator/population_marks.ts";
import type { Volume } from "../volumes/staging/observed_staging.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { ObservedRestore } from "./observe_restore.ts";
import { RESTORE } from "./restore_tasks.ts";
import {
  answer,
  begins,
  claimOf,
  conditionOf,
  decide,
  primeOf,
  restore,
  run,
} from "./testing/restore_samples.ts";

const target = restore().spec.target?.pvc;
if (!target) throw new Error("the sample has another target");

const prime = primeOf();
const volume = (uid: string, annotations: Record<string, string> = {}): Volume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: {
    name: "pvc-uid-prime",
    uid: "uid-pv",
    resourceVersion: "1",
    creationTimestamp: AT,
    annotations,
  },
  spec: { claimRef: { uid } },
});
const claim = (annotations: object = {}, metadata: object = {}) =>
  claimOf(
    {
      name: "restored",
      uid: "uid-claim",
      annotations: { [MADE_FOR]: "uid-again", ...annotations },
      ...metadata,
    },
    { volumeName: "pvc-uid-prime" },
  );

const decideThrough = (more: Partial<ObservedRestore> = {}) =>
  decide({ through: { prime, volume: volume("uid-prime") }, ...more });
const intentsOf = ({ intents }: ReturnType<typeof decide>) =>
  intents.flatMap((one) => (one.type === "Populate" ? one.intents.map(({ type }) => type) : one.type));
const losses = [{ kind: "Owner", count: 7, examples: ["a"], reason: "not root" }] as const;
const record = { ...FIRST_ATTEMPT, outcome: "Succeeded" };
const told = {
  phase: "Restoring",
  progress: { filesRestored: 3, bytesRestored: 300 },
  losses,
  work: { [RESTORE]: record },
} as const;
const filled = restore({ status: told });
const writing = restore({ status: { work: { [RESTORE]: { ...FIRST_ATTEMPT, job: "uid-job" } } } });

describe("decideRestore() into a new claim, where volumes can be handed over", () => {
  test("begins with the claim that it is filled through, and makes no other yet", () => {
    const decision = decideThrough({ through: {} });
    expect(intentsOf(decision)).toEqual(["CreatePrime"]);
    expect(decision.status).toMatchObject({ phase: "Resolving", target: { pvcRef: { name: "restored" } } });
  });

  test("writes, and has the claim made for that volume, whoever waits for it", () => {
    const decision = decideThrough({ use: { type: "Free" }, run: run(begins) });
    expect(intentsOf(decision)).toEqual(["Reserve"]);
    expect(decision.status).toMatchObject({
      phase: "Restoring",
      target: { pvcRef: { name: "restored" }, pvcPrime: prime.metadata.name },
    });
  });

  test("has not completed when the data is written, but when the volume is the claim's", () => {
    const ended = decideThrough({ claim: claim(), run: run(succeeded({ restore: { ...answer, losses } })) });
    expect(ended).toMatchObject({ status: { phase: "Restoring", progress: told.progress }, wakeAt: NOW });
    expect(conditionOf(ended, "Ready")).toMatchObject({ status: "False", reason: "HandingOver" });
    expect(conditionOf(ended, "Restored")).toBeUndefined();

    const handing = decideThrough({ restore: filled, claim: claim() });
    expect(intentsOf(handing)).toEqual(["HandOver"]);
    expect(handing.status).toMatchObject(told);

    const given = { prime, volume: volume("uid-claim", { [FILLED_FOR]: "uid-claim" }) };
    expect(decideThrough({ restore: filled, claim: claim(), through: given }).status?.phase).toBe(
      "Restoring",
    );

    const done = decideThrough({
      restore: filled,
      claim: claim({ [POPULATED]: "uid-claim" }),
      through: given,
    });
    expect(done).toMatchObject({ status: { ...told, phase: "Completed" }, intents: [] });
    expect(done.status?.target).toEqual({ pvcRef: { name: "restored" } });
    expect(conditionOf(done, "Ready")).toMatchObject({ status: "True", message: "3 files were restored." });
    expect(conditionOf(done, "Restored")).toMatchObject({ reason: "WithLosses" });
  });

  test("says so when the claim does not take the volume that is reserved for it", () => {
    const through = { prime, volume: volume("uid-claim", { [FILLED_FOR]: "uid-claim" }) };
    const timing = { startTime: AT, endTime: AT };
    const waiting = (now: number) =>
      decideThrough({ restore: restore({ status: { ...told, timing } }), claim: claim(), through, now });
    expect(conditionOf(waiting(NOW + 30_000), "Ready")).toMatchObject({ reason: "HandingOver" });
    const late = waiting(NOW + 61_000);
    expect(conditionOf(late, "Ready")).toMatchObject({ reason: "VolumeNotTaken" });
    expect(late).toMatchObject({ status: { phase: "Restoring", timing }, events: [{ type: "Warning" }] });
  });

  test("hands nothing over that could not be filled", () => {
    const decision = decideThrough({ claim: claim(), run: run(failed(UNREACHABLE)) });
    expect(intentsOf(decision)).toEqual([]);
    expect(decision.status?.phase).toBe("Failed");
  });

  test("does not take another's claim, and keeps what it has to say until there is none", () => {
    const other = claim({ [MADE_FOR]: "uid-other" });
    const decision = decideThrough({ restore: filled, claim: other });
    expect(intentsOf(decision)).toEqual([]);
    expect(decision.status).toMatchObject({ progress: told.progress, phase: "Restoring" });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "ClaimExists" });
    expect(decideThrough({ claim: other }).status?.phase).toBe("Pending");
  });

  test("says of no other volume that it was restored", () => {
    const direct = { through: undefined as never };
    const edited = (target: object) => restore({ spec: { target } as never, status: told });
    const inPlace = { pvcRef: { name: "mine" } };
    const mine = claimOf({ name: "mine" }, { volumeName: "pv-1" });
    const ended: TaskState = { phase: "Ended", outcome: "Succeeded", logTail: [], settled: false };
    const decision = decideThrough({ restore: edited(inPlace), claim: mine, ...direct, run: run(ended) });
    expect(decision).toMatchObject({ status: { phase: "Pending" }, intents: [] });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "FilledElsewhere" });
    const itself = decideThrough({ restore: filled, claim: claim(), ...direct, run: run(ended) });
    expect(conditionOf(itself, "Ready")).toMatchObject({ reason: "FilledElsewhere" });
    const none = decideThrough({ restore: filled, ...direct });
    expect(none).toMatchObject({ status: { phase: "Pending" }, intents: [] });
  });

  test("begins no run while its prime claim goes", () => {
    const through = { prime: primeOf({ deletionTimestamp: AT }), volume: volume("uid-prime") };
    const intents = [{ type: "Ensure" }] as never;
    expect(decideThrough({ through, run: ok(taskPlan(RESTORE, begins, { intents })) }).intents).toEqual([]);
    const tidy = { restore: filled, claim: claim(), run: ok(taskPlan(RESTORE, begins, { intents })) };
    expect(intentsOf(decideThrough(tidy))).toEqual(["HandOver", "Run"]);
  });

  test("looks after the run first, and has the claim made then", () => {
    const intents = [{ type: "Ensure" }] as never;
    const decision = decideThrough({
      use: { type: "Free" },
      run: ok(taskPlan(RESTORE, begins, { intents })),
    });
    expect(intentsOf(decision)).toEqual(["Run", "Reserve"]);
  });

  test("looks after a mover also when there is another's claim of that name", () => {
    const other = claim({ [MADE_FOR]: "uid-other" });
    const intents = [{ type: "Ensure" }] as never;
    const decision = decideThrough({
      restore: writing,
      claim: other,
      run: ok(taskPlan(RESTORE, begins, { intents })),
    });
    expect(decision.status?.phase).toBe("Restoring");
    expect(intentsOf(decision)).toEqual(["Run"]);
  });

  test("says so when what a mover writes into is gone, or somebody's", () => {
    const gone = decideThrough({ restore: writing, through: {} });
    expect(gone).toMatchObject({ status: { phase: "Restoring" }, intents: [] });
    expect(conditionOf(gone, "Ready")).toMatchObject({ reason: "VolumeLost" });
    const taken = decideThrough({ restore: writing, through: { foreign: claimOf({ name: "pvc-prime-1" }) } });
    expect(conditionOf(taken, "Ready")).toMatchObject({ reason: "ClaimExists" });
  });

  test("remembers that there was a prime claim, when only the claim is left that waits for its volume", () => {
    const left = restore({ status: { target: { pvcPrime: prime.metadata.name } } });
    const decision = decideThrough({ restore: left, claim: claim(), through: {} });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "VolumeLost" });
    expect(decision.status?.target).toMatchObject({ pvcPrime: prime.metadata.name });
  });

  test("ends a run whose prime claim is gone, and credits it to nobody", () => {
    const ended = run(succeeded({ restore: { ...answer, losses } }));
    const decision = decideThrough({ restore: writing, through: {}, run: ended });
    expect(decision.status).toMatchObject({ phase: "Failed", work: { [RESTORE]: { outcome: "Failed" } } });
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "VolumeLost" });
  });

  test("looks after a mover also when what it writes into was deleted", () => {
    const through = { prime: primeOf({ deletionTimestamp: AT }), volume: volume("uid-prime") };
    expect(decideThrough({ restore: writing, through, run: run(begins) }).status?.phase).toBe("Restoring");
    const idle = decideThrough({ through, run: run(begins) });
    expect(conditionOf(idle, "Ready")).toMatchObject({ reason: "StartingAgain" });
  });
});
