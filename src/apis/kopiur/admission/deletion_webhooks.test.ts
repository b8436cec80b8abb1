import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Webhook } from "../../../kube/admission/webhook.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { BY_CATALOG, type KopiurCaches } from "../caches.ts";
import { backup, readyNas, repository, restore } from "../testing/samples.ts";
import {
  claimObjection,
  deletionWebhooks,
  halfWrittenWarning,
  heldObjection,
  repositoryObjection,
} from "./deletion_webhooks.ts";

const claim = (name: string, namespace = "billing") => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace, uid: "u", resourceVersion: "1", creationTimestamp: "2026-05-24T00:00:00Z" },
});
const ON_CLAIM = { spec: { backend: { filesystem: { pvc: { name: "store" }, path: "/" } } } };
const used = readyNas({ ...ON_CLAIM, status: { storageStats: { snapshotCount: 7 } } });

const FACTS = { operatorNamespace: "holdfast", known: () => 0 };

test.each([
  ["the claim of a repository", claim("store"), [used], true],
  ["another claim", claim("documents"), [used], false],
  ["one of that name elsewhere", claim("store", "shop"), [used], false],
  ["that of a repository which never was", claim("store"), [repository(ON_CLAIM)], false],
  [
    "that of one which is going",
    claim("store"),
    [readyNas({ ...ON_CLAIM, metadata: { deletionTimestamp: "now" } })],
    false,
  ],
])("%s is protected: %4$s", (_, object, repositories, refused) => {
  expect(claimObjection(object, repositories, FACTS) !== undefined).toBe(refused);
});

test("the refusal says what would be lost, and how to go on", () => {
  expect(claimObjection(claim("store"), [used], FACTS)).toBe(
    "PVC billing/store holds the repository of Repository billing/nas, with 7 snapshots: deleting it would delete all of them. If that is meant, delete the Repository first, then the PVC.",
  );
});

test("snapshots that the repository had not when it was asked last count, too", () => {
  const fresh = readyNas({ ...ON_CLAIM, status: { storageStats: { snapshotCount: 0 } } });
  const objection = (known: number) =>
    claimObjection(claim("store"), [fresh], { ...FACTS, known: () => known });
  expect(objection(2)).toContain("with 2 snapshots: ");
  expect(objection(0)).toContain("with its snapshots: ");
});

const MEANT = { metadata: { annotations: { [ANNOTATIONS.acknowledgeRemoval]: "true" } } };

test.each([
  ["one on a claim, with snapshots", used, 0, true],
  ["one whose Backups are younger than its count", readyNas(ON_CLAIM), 2, true],
  ["one on a claim, without snapshots", readyNas(ON_CLAIM), 0, false],
  ["one that is meant to go", readyNas({ ...ON_CLAIM, ...MEANT }), 2, false],
  ["one elsewhere", { ...used, spec: { ...used.spec, backend: { s3: {} } } } as typeof used, 2, false],
  ["one that never was", repository(ON_CLAIM), 2, false],
])("of Repositories %s is protected: %4$s", (_, object, known, refused) => {
  const objection = repositoryObjection(object, "repositories", { ...FACTS, known: () => known });
  expect(objection !== undefined).toBe(refused);
});

test("a Repository and its PVC are guarded together, by the Backups that have ended", async () => {
  const made = backup({ status: { phase: "Succeeded", snapshots: [{}, {}] } } as never);
  const caches = {
    repositories: { values: () => [readyNas(ON_CLAIM)] },
    clusterRepositories: undefined,
    backups: { indexed: (index: string) => (index === BY_CATALOG ? [made] : []) },
  } as unknown as KopiurCaches;
  const webhooks = deletionWebhooks({
    lookup: { namespace: () => "unknown" },
    caches,
    operatorNamespace: "holdfast",
    isOperator: () => false,
  });
  const deleted = async (object: KubeObject) => {
    const found = webhooks.find(({ resource }) => resource.kind === object.kind) as Extract<
      Webhook,
      { type: "validating" }
    >;
    const request = { oldObject: object, user: {} } as never;
    return found.validate(request, new AbortController().signal);
  };
  expect(await deleted(readyNas(ON_CLAIM))).toEqual({
    allowed: false,
    code: 403,
    message:
      "Repository billing/nas lies on PVC billing/store, with 2 snapshots: without it nothing of that can be restored, and nothing keeps the PVC from being deleted. If it is meant to go and the PVC to stay, run kubectl annotate repositories.kopiur.home-operations.com nas -n billing kopiur.home-operations.com/acknowledge-removal=true, then delete the Repository again.",
  });
  expect(await deleted(claim("store"))).toMatchObject({
    allowed: false,
    message: expect.stringContaining("with 2 snapshots"),
  });
});

test("a Backup that is held is not deleted, and says how it could be", () => {
  expect(heldObjection(backup())).toBeUndefined();
  const held = backup({ metadata: { annotations: { [ANNOTATIONS.hold]: "true" } } });
  expect(heldObjection(held)).toMatch(
    /^Backup billing\/.* is held by the annotation .*holdfast unhold backup\//,
  );
});

const incomplete = [
  {
    type: "TargetIncomplete",
    status: "True",
    reason: "RestoreBrokenOff",
    message: "m",
    lastTransitionTime: "2026-05-24T00:00:00Z",
  },
] as const;
const writing = { work: { restore: { attempt: 1, step: "Work", failures: 0, job: "uid-job" } } };
const inPlace = { pvcRef: { name: "data" } };
test.each([
  ["left its volume half written", inPlace, { phase: "Failed", conditions: [...incomplete] }, true],
  ["writes", inPlace, { phase: "Restoring", ...writing }, true],
  ["has completed", inPlace, { phase: "Completed" }, false],
  ["fills a new claim", { pvc: { name: "data" } }, { phase: "Restoring", ...writing }, false],
] as const)("whoever deletes a Restore that %s is warned: %4$s", (_, target, status, warned) => {
  const found = halfWrittenWarning(restore({ spec: { target }, status } as never));
  expect(found !== undefined).toBe(warned);
});

test("the warning says what comes back, and how to go on", () => {
  const target = { pvcRef: { name: "data", scaleDownWorkloads: true } };
  const status = { phase: "Failed", conditions: [...incomplete] };
  expect(halfWrittenWarning(restore({ spec: { target }, status } as never))).toMatch(
    /^PVC .*\/data holds a part of the old and a part of the restored data: no backup .* What was scaled down for it comes back onto that volume\. Restore into the PVC again\. To go back with holdfast restore --undo needs Restore /,
  );
});
