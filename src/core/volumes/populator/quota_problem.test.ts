import { expect, test } from "vitest";
import { claim, object } from "../staging/testing/staging_samples.ts";
import { quotaProblem } from "./first_step.ts";
import type { ResourceQuota } from "./observed_population.ts";

const quota = (hard: Record<string, string>, used: Record<string, string> = {}) =>
  object<ResourceQuota>("ResourceQuota", { name: "limits" }, { status: { hard, used } });

test.each<[Record<string, string>, Record<string, string>, boolean]>([
  [{ "requests.storage": "16Gi" }, { "requests.storage": "8Gi" }, true],
  [{ "requests.storage": "16Gi" }, { "requests.storage": "8193Mi" }, false],
  [{ persistentvolumeclaims: "2" }, { persistentvolumeclaims: "1" }, true],
  [{ persistentvolumeclaims: "2" }, { persistentvolumeclaims: "2" }, false],
  [{ "count/persistentvolumeclaims": "2" }, { "count/persistentvolumeclaims": "1" }, true],
  [{ "count/persistentvolumeclaims": "2" }, { "count/persistentvolumeclaims": "2" }, false],
  [{ "fast.storageclass.storage.k8s.io/requests.storage": "8Gi" }, {}, true],
  [{ "fast.storageclass.storage.k8s.io/requests.storage": "7Gi" }, {}, false],
  [{ "slow.storageclass.storage.k8s.io/requests.storage": "1Gi" }, {}, true],
  [{ pods: "1" }, { pods: "1" }, true],
  [{ "requests.storage": "what" }, {}, true],
])("%j of which %j is used has room for another 8Gi: %s", (hard, used, fits) => {
  expect(quotaProblem(claim(), [quota(hard, used)]) === undefined).toBe(fits);
});

test.each<[string, boolean]>([
  ["16Gi", true],
  ["15Gi", false],
])("%s has room for a claim and the one that it is filled through: %s", (hard, fits) => {
  const problem = quotaProblem(claim(), [quota({ "requests.storage": hard })], 2);
  expect(problem === undefined).toBe(fits);
  if (problem) expect(problem).toContain("until it is done: twice 8Gi of requests.storage");
});

test("the message says what is needed, what there is and what to do", () => {
  const message = quotaProblem(claim(), [
    quota({ "requests.storage": "10Gi" }, { "requests.storage": "8Gi" }),
  ]);
  expect(message).toBe(
    "Filling PersistentVolumeClaim data takes a second claim of its size and class until it is done: 8Gi of requests.storage. ResourceQuota limits has 10Gi, of which 8Gi is used. Raise the quota by that much, or free some of it.",
  );
});
