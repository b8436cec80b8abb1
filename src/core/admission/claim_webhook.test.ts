import { expect, test } from "vitest";
import { BACKUPS, GROUP } from "../testing/samples.ts";
import type { Claim } from "../volumes/claim_request.ts";
import type { StorageClass } from "../volumes/staging/observed_staging.ts";
import { checkClaim, claimWebhook, type StorageLookup } from "./claim_webhook.ts";

const INSTEAD = "restore into a new claim";

const metadata = { name: "born", namespace: "shop", uid: "u", resourceVersion: "1", creationTimestamp: "" };
const claim = (spec: object): Claim => ({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec });
const PROVISIONERS: Readonly<Record<string, string>> = {
  fast: "disk.example.com",
  local: "rancher.io/local-path",
  tested: "hostpath.csi.k8s.io",
};
const lookup: StorageLookup = {
  storageClass: (name) => {
    const provisioner = PROVISIONERS[name];
    if (!provisioner) return "absent";
    return {
      apiVersion: "v1",
      kind: "StorageClass",
      metadata: { ...metadata, name },
      provisioner,
    } as StorageClass;
  },
  driver: (name) =>
    name === "disk.example.com" ? { apiVersion: "v1", kind: "CSIDriver", metadata } : "absent",
};

test.each<[string, object, boolean]>([
  ["a class of a CSI driver", { storageClassName: "fast" }, true],
  ["a class of a provisioner that was tried", { storageClassName: "tested" }, true],
  ["a class of another provisioner", { storageClassName: "local" }, false],
  ["a class that is not there yet", { storageClassName: "later" }, true],
  ["no class yet", {}, true],
  ["no class ever", { storageClassName: "" }, false],
  ["a block device", { storageClassName: "fast", volumeMode: "Block" }, false],
])("a claim with %s", (_, spec, allowed) => {
  expect(checkClaim(claim(spec), lookup, INSTEAD).allowed).toBe(allowed);
});

test("the refusal says what would happen, and what to do", () => {
  const verdict = checkClaim(claim({ storageClassName: "local" }), lookup, INSTEAD);
  expect(verdict).toMatchObject({
    code: 422,
    message: expect.stringMatching(/rancher\.io\/local-path.*empty volume.*Use a class of a CSI driver/),
  });
});

test("what is not known is let in with a warning", () => {
  const blind: StorageLookup = { storageClass: () => "unknown", driver: () => "unknown" };
  expect(checkClaim(claim({ storageClassName: "local" }), blind, INSTEAD)).toMatchObject({
    allowed: true,
    warnings: [expect.stringContaining("later")],
  });
  const unread = { ...lookup, driver: () => "unknown" as const };
  expect(checkClaim(claim({ storageClassName: "fast" }), unread, INSTEAD)).toMatchObject({ allowed: true });
});

test("no claim depends on it being served, and only those that are populated from this kind come by", () => {
  const webhook = claimWebhook({ api: "example", source: BACKUPS, instead: INSTEAD }, lookup);
  expect(webhook.onFailure).toBe("allow");
  expect(webhook.operations).toEqual(["CREATE"]);
  expect(webhook.matchConditions?.[0]?.expression).toContain(`apiGroup == '${GROUP}'`);
});
