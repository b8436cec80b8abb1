import { expect, test } from "vitest";
import type { Condition } from "../../kube/write/conditions.ts";
import { sparingDamage } from "./maintained_conditions.ts";

const intact = (status: "True" | "False", reason: string): Condition => ({
  type: "Intact",
  status,
  reason,
  message: "",
  lastTransitionTime: "2026-05-24T02:00:00Z",
});
const WANTED = [intact("True", "Checked")];
const LATER = "2026-05-24T03:00:00.000Z";
const EARLIER = "2026-05-24T01:00:00.000Z";

test.each([
  ["a check that read no data", { at: LATER, healthy: true, dataPercent: 0 }, false],
  ["a check that read some", { at: LATER, healthy: true, dataPercent: 99 }, false],
  ["a check that read all, before", { at: EARLIER, healthy: true, dataPercent: 100 }, false],
  ["a check that read all, and found more", { at: LATER, healthy: false, dataPercent: 100 }, false],
  ["a check that read all, and found nothing", { at: LATER, healthy: true, dataPercent: 100 }, true],
])("damage that a run read is ended by %s: %3$s", (_, lastCheck, ends) => {
  const present = [intact("False", "DamagedDataRead")];
  expect(sparingDamage(WANTED, present, lastCheck)).toEqual(ends ? WANTED : []);
});

test("other damage is what the last check says", () => {
  expect(sparingDamage(WANTED, [intact("False", "DataMissing")], undefined)).toEqual(WANTED);
});
