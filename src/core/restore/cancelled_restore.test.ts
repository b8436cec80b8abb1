import { expect, test } from "vitest";
import { err } from "../../lib/result.ts";
import { blocked, waits } from "../reconcile/problem.ts";
import { AT, GROUP, NOW } from "../testing/samples.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { decideRestore } from "./decide_restore.ts";
import { decideInPlace, down, inPlace, remembered } from "./testing/in_place_samples.ts";
import { conditionOf, decide, ours, primeOf, RESTORES, restore, run } from "./testing/restore_samples.ts";

/* Somebody ends a restore whose mover has written a part of the data. Of PVCs that a Restore populates: decide_populations.test.ts. */

const cancelled: TaskState = { phase: "Ended", outcome: "Cancelled", logTail: [], settled: false };
const ended = run(cancelled, { record: { ...FIRST_ATTEMPT, startedAt: AT, outcome: "Cancelled" } });
const volume = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv", uid: "uid-pv", resourceVersion: "1", creationTimestamp: AT },
  spec: { claimRef: { uid: "uid-prime" } },
};
const begun = inPlace({ scaledWorkloads: remembered }, { finalizers: [RESTORES.finalizer] });

type Decided = ReturnType<typeof decideRestore>;

test.each<[target: string, decision: Decided]>([
  ["a new claim that is written directly", decide({ claim: ours, run: ended })],
  [
    "a new claim that a volume is handed over to",
    decide({ through: { prime: primeOf(), volume }, run: ended }),
  ],
  ["an existing claim", decideInPlace({ restore: begun, scaled: [down], run: ended })],
])("a cancelled restore into %s is Failed, and hands nothing over", (_, decision) => {
  expect(decision.status?.phase).toBe("Failed");
  expect(conditionOf(decision, "Ready")).toMatchObject({ status: "False", reason: "Cancelled" });
  expect(conditionOf(decision, "Restored")?.status).not.toBe("True");
  expect(handedOver(decision)).toEqual([]);
});

test.each([
  ["a volume is handed over to", { through: { prime: primeOf(), volume } }],
  ["is written directly", { claim: ours }],
])("nothing of it is handed over later, either, where a new claim %s", (_, seen) => {
  const first = decide({ ...seen, run: ended });
  const later = decide({ ...seen, restore: restore({ status: first.status ?? {} }), run: ended });
  expect(later.status?.phase ?? first.status?.phase).toBe("Failed");
  expect(handedOver(later)).toEqual([]);
});

test("a cancelled restore in place leaves its workload down, and says that the volume is half written", () => {
  const decision = decideInPlace({ restore: begun, scaled: [down], run: ended });
  expect(conditionOf(decision, "TargetIncomplete")).toMatchObject({ status: "True" });
  expect(decision.intents).not.toContainEqual(expect.objectContaining({ type: "Scale" }));
});

const asked = { metadata: { annotations: { [`${GROUP}/cancel`]: "true" } } };
const nothing = err(waits("BackupNotFound", "There is none."));
const unmade = err(blocked("NoWorkloadPod", "No pod runs."));

test.each<[string, Decided, string]>([
  ["waits for its source", decide({ restore: restore(asked), resolution: nothing }), "Failed"],
  ["has no run that can be made", decide({ restore: restore(asked), claim: ours, run: unmade }), "Failed"],
  ["waits for a claim that it may not have", decide({ restore: restore(asked) }), "Failed"],
  ["is not to end", decide({ resolution: nothing }), "Pending"],
])("a restore that %s is cancelled at once, if that is asked for", (_, decision, phase) => {
  expect(decision.status?.phase).toBe(phase);
  expect(conditionOf(decision, "Ready")?.reason === "Cancelled").toBe(phase === "Failed");
  expect(handedOver(decision)).toEqual([]);
});

test("what a mover writes, or has written, is not said to be cancelled before it is", () => {
  for (const record of [{ job: "uid-job" }, { outcome: "Succeeded" }] as const) {
    const status = { phase: "Restoring", work: { restore: { ...FIRST_ATTEMPT, ...record } } };
    const decision = decide({ restore: restore({ ...asked, status }), claim: ours, run: unmade });
    expect(decision.status?.phase).not.toBe("Failed");
  }
});

test("a workload is down for a run that cannot be made for as long as a mover may take to start", () => {
  const since = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
  const after = (minutes: number, away = false) => {
    const work = { restore: { ...FIRST_ATTEMPT, blockedSince: since(minutes) } };
    const { metadata } = begun;
    const one = inPlace({ scaledWorkloads: remembered, work }, metadata);
    return decideInPlace({ restore: one, scaled: [down], run: err({ ...unmade.error, away }) });
  };
  expect(after(9).status).toMatchObject({ phase: "Pending", scaledWorkloads: remembered });
  const failed = after(10);
  expect(failed.status).toMatchObject({ phase: "Failed", failure: { errorClass: "NoWorkloadPod" } });
  expect(failed.intents).toContainEqual(expect.objectContaining({ type: "Scale" }));
  expect(after(10, true).status?.phase).toBe("Pending");
});

function handedOver({ intents }: Decided): readonly string[] {
  const all = intents.flatMap((one) =>
    one.type === "Populate" ? one.intents.map(({ type }) => type as string) : [one.type as string],
  );
  return all.filter((type) => ["HandOver", "Reserve", "Scale"].includes(type));
}
