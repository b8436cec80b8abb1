import { expect, test } from "vitest";
import { AT } from "../../../core/testing/samples.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Restore } from "../../../kinds/kopiur/generated/restore.ts";
import type { ObjectKey } from "../../../kube/object.ts";
import { BY_RECIPE, type KopiurCaches } from "../caches.ts";
import { backup, readyConfig, restore } from "../testing/samples.ts";
import { largestBackup, populationProblem } from "./restore_ports.ts";

const sized = (name: string, day: number, sizeBytes: number, phase = "Succeeded") =>
  backup({
    metadata: { name },
    status: {
      phase,
      timing: { endTime: `2026-05-${10 + day}T00:00:00Z` },
      snapshots: [{ pvc: "billing/data", sizeBytes }],
    },
  });

test("what a volume held is the most that its last Backups hold, but for those of what had shrunk", () => {
  const made = [sized("old", 0, 90), sized("failed", 14, 999, "Failed")];
  for (let day = 1; day <= 7; day += 1) made.push(sized(`d${day}`, day, 50 + day));
  for (let day = 8; day <= 19; day += 1) made.push(sized(`small${day}`, day, 0));
  let recipe = readyConfig();
  const caches = {
    configs: { indexed: () => [recipe] },
    backups: { indexed: (index: string) => (index === BY_RECIPE ? made : []) },
  } as unknown as KopiurCaches;
  expect(largestBackup(caches, "billing/data" as ObjectKey)).toBe(57);
  expect(largestBackup(caches, "billing/other" as ObjectKey)).toBeUndefined();
  recipe = readyConfig({ metadata: { annotations: { [ANNOTATIONS.acknowledgeShrink]: "small8" } } });
  expect(largestBackup(caches, "billing/data" as ObjectKey)).toBe(0);
});

const { target: _, ...spec } = restore().spec;
const passive: Restore = { ...restore(), spec };

test.each<[string, Restore | undefined, boolean, string | undefined]>([
  ["is not there", undefined, false, "RestoreNotFound"],
  ["is going", restore({ metadata: { deletionTimestamp: AT } }), false, "RestoreNotFound"],
  ["has a target", restore(), false, "RestoreHasTarget"],
  ["belongs to an operator of one namespace", passive, true, "ClusterScopeNeeded"],
  ["waits for claims", passive, false, undefined],
])("a Restore that %s", (_, given, namespaced, reason) => {
  expect(populationProblem(given, namespaced)?.reason).toBe(reason);
});
