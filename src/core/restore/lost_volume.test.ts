import { describe, expect, test } from "vitest";
import { ok } from "../../lib/result.ts";
import { specFingerprint } from "../reconcile/spec_fingerprint.ts";
import { AT, NOW, succeeded, taskPlan, working } from "../testing/samples.ts";
import type { Place } from "../work/queue/place.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import type { ObservedRestore } from "./observe_restore.ts";
import { RESTORE } from "./restore_tasks.ts";
import {
  answer,
  claimFor,
  claimOf,
  conditionOf,
  decide,
  ours,
  restore,
  run,
} from "./testing/restore_samples.ts";

describe("decideRestore(): a claim that is lost under its mover", () => {
  const place: Place = { pool: "uid-nas", since: AT, rank: 0, tenant: "billing/again", seated: true };
  const writing: RunRecord = { ...FIRST_ATTEMPT, edition: specFingerprint(restore()), job: "uid-job", place };
  const status = (target: object) => ({ phase: "Restoring", target, work: { [RESTORE]: writing } });
  const noted = status({ pvcRef: { name: "restored", uid: "uid-claim" } });
  const inPlace = { target: { pvcRef: { name: "mine", scaleDownWorkloads: false } } };
  const mine = status({ pvcRef: { name: "mine", uid: "uid-mine" } });
  const other = claimFor("uid-again", { uid: "uid-newer" });
  const going = claimFor("uid-again", { deletionTimestamp: AT });
  const seatless = (outcome: RunRecord["outcome"]): Partial<RunRecord> => ({
    edition: specFingerprint(restore()),
    job: "uid-job",
    ...(outcome ? { outcome } : {}),
  });
  const intents = [{ type: "Cancel" }] as never;

  test("the claim that is written is noted with its UID, and keeps it", () => {
    const target = { pvcRef: { name: "restored", uid: "uid-claim" } };
    expect(decide({ claim: ours, run: run(working) }).status).toMatchObject({ target });
    const later = decide({ restore: restore({ status: noted }), claim: ours, run: run(working) });
    expect(later.status).toMatchObject({ phase: "Restoring", target });
  });

  const LOST: [string, ReturnType<typeof restore>, Partial<ObservedRestore>][] = [
    ["is gone", restore({ status: noted }), {}],
    ["is gone, which was not noted", restore({ status: status({ pvcRef: { name: "restored" } }) }), {}],
    ["is going", restore({ status: noted }), { claim: going }],
    ["was replaced by another of ours", restore({ status: noted }), { claim: other }],
    ["was replaced by somebody's", restore({ status: noted }), { claim: claimFor("uid-other") }],
    ["was another one's prime claim", restore({ status: status({ pvcPrime: "prime-1" }) }), { claim: ours }],
    ["exists, and is gone", restore({ spec: inPlace, status: mine }), {}],
    [
      "exists, and is going",
      restore({ spec: inPlace, status: mine }),
      { claim: claimOf({ uid: "uid-mine", deletionTimestamp: AT }) },
    ],
    [
      "exists, and was made again",
      restore({ spec: inPlace, status: mine }),
      { claim: claimOf({ uid: "uid-newer" }) },
    ],
    ["can be filled through a prime claim by now", restore({ status: noted }), { through: {} }],
  ];

  test.each(LOST)("is never credited with the run: one that %s", (_, object, more) => {
    const ended = ok(taskPlan(RESTORE, succeeded({ restore: answer }), { record: seatless("Succeeded") }));
    const decision = decide({ restore: object, ...more, run: ended });
    expect(decision.status).toMatchObject({ phase: "Failed", target: object.status?.target });
    expect(decision.status?.progress).toBeUndefined();
    expect(conditionOf(decision, "Stalled")).toMatchObject({ status: "True", reason: "VolumeLost" });
    expect(decision.status?.work).toEqual({ [RESTORE]: { ...FIRST_ATTEMPT, ...seatless("Failed") } });
    expect(decision.intents).toEqual([]);
    // So it stays when there is a claim again.
    const later = { ...object, status: { ...decision.status } };
    expect(decide({ restore: later, ...more, claim: other })).toEqual({ intents: [] });
  });

  test.each(LOST)("is written no further, and its mover is looked after: one that %s", (_, object, more) => {
    const ends = ok(taskPlan(RESTORE, working, { record: seatless(undefined), intents, wakeAt: NOW + 5 }));
    const decision = decide({ restore: object, ...more, run: ends });
    expect(decision).toMatchObject({
      status: { phase: "Restoring", target: object.status?.target },
      intents: [{ type: "Run" }],
      wakeAt: NOW + 5,
    });
    expect(decision.status?.work).toEqual({ [RESTORE]: { ...FIRST_ATTEMPT, ...seatless(undefined) } });
    expect(conditionOf(decision, "Ready")).toMatchObject({ reason: "VolumeLost" });
    const unseen = decide({ restore: object, ...more });
    expect(unseen).toMatchObject({
      status: { phase: "Restoring", work: { [RESTORE]: writing } },
      intents: [],
    });
  });

  test("is made and written anew after an edit", () => {
    const record: RunRecord = { ...FIRST_ATTEMPT, ...seatless("Failed") };
    const object = restore({
      metadata: { generation: 2 },
      status: { ...noted, phase: "Failed", work: { [RESTORE]: record } },
    });
    expect(decide({ restore: object }).intents).toMatchObject([{ type: "EnsureClaim" }]);
    expect(decide({ restore: object, claim: other, run: run(working) }).status).toMatchObject({
      phase: "Restoring",
      target: { pvcRef: { uid: "uid-newer" } },
    });
  });
});
