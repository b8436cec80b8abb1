import { expect, test } from "vitest";
import { AT } from "../testing/samples.ts";
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

function handedOver({ intents }: Decided): readonly string[] {
  const all = intents.flatMap((one) =>
    one.type === "Populate" ? one.intents.map(({ type }) => type as string) : [one.type as string],
  );
  return all.filter((type) => ["HandOver", "Reserve", "Scale"].includes(type));
}
