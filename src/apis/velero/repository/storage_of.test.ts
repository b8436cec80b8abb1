import { expect, test } from "vitest";
import type { BackupStorageLocation } from "../../../kinds/velero/generated/backup_storage_location.ts";
import { API_VERSION } from "../../../kinds/velero/group.ts";
import { isAt, storageOf } from "./storage_of.ts";

const at = (spec: Partial<BackupStorageLocation["spec"]>): BackupStorageLocation => ({
  apiVersion: API_VERSION,
  kind: "BackupStorageLocation",
  metadata: {
    namespace: "velero",
    name: "default",
    uid: "l1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  spec: { provider: "aws", objectStorage: { bucket: "b" }, ...spec },
});
const cloud = (as: string) => [{ secret: "cloud-credentials", items: [{ key: "cloud", as }] }];

test.each([
  ["a bucket of Amazon's", {}, { s3: { bucket: "b", prefix: "kopia/shop/" } }],
  [
    "a server of S3, whatever the provider is called",
    {
      provider: "example.com/minio",
      objectStorage: { bucket: "b", prefix: "/lab/" },
      config: { s3Url: "http://s3:9000/", region: "r", profile: "p", s3ForcePathStyle: "true" },
    },
    {
      s3: { bucket: "b", prefix: "lab/kopia/shop/", endpoint: "http://s3:9000", region: "r", profile: "p" },
    },
  ],
  [
    "certificates",
    {
      objectStorage: { bucket: "b", caCert: "UEVN" },
      config: { insecureSkipTLSVerify: "true" },
    },
    { s3: { bucket: "b", prefix: "kopia/shop/", tls: { ca: "PEM", insecureSkipVerify: true } } },
  ],
])("storageOf() finds %s", (_, spec, backend) => {
  expect(storageOf(at(spec), "shop")).toEqual({
    ok: true,
    value: { backend, credentials: cloud("AWS_CREDENTIALS_FILE") },
  });
});

test("storageOf() finds the storage of the other clouds, and the credentials of a location", () => {
  const config = { storageAccount: "a", storageAccountKeyEnvVar: "K" };
  expect(storageOf(at({ provider: "velero.io/azure", config }), "shop")).toMatchObject({
    value: {
      backend: { azure: { container: "b", prefix: "kopia/shop/", account: "a", keyName: "K" } },
      credentials: cloud("AZURE_CREDENTIALS_FILE"),
    },
  });
  expect(storageOf(at({ provider: "gcp", credential: { name: "g", key: "k" } }), "shop")).toEqual({
    ok: true,
    value: {
      backend: { gcs: { bucket: "b", prefix: "kopia/shop/" } },
      credentials: [{ secret: "g", items: [{ key: "k", as: "GCS_CREDENTIALS_JSON" }] }],
    },
  });
});

test.each([
  ["aws", {}, "AWS_CREDENTIALS_FILE"],
  ["azure", { storageAccount: "a" }, "AZURE_CREDENTIALS_FILE"],
])("storageOf() hands the certificate authorities of a Secret to the mover: %s", (provider, config, as) => {
  const caCertRef = { name: "authorities", key: "ca.crt" };
  const found = storageOf(
    at({ provider, config, objectStorage: { bucket: "b", caCert: "UEVN", caCertRef } }),
    "shop",
  );
  expect(found).toMatchObject({
    value: {
      credentials: [
        ...cloud(as),
        { secret: "authorities", items: [{ key: "ca.crt", as: "CA_CERTIFICATES" }] },
      ],
    },
  });
  expect(JSON.stringify(found)).not.toContain("PEM");
});

test("storageOf() finds what restic stored beside", () => {
  const found = storageOf(at({ objectStorage: { bucket: "b", prefix: "p" } }), "shop", "restic");
  expect(found).toMatchObject({ ok: true, value: { backend: { s3: { prefix: "p/restic/shop/" } } } });
});

test.each([
  ["", true],
  ["s3:s3-eu.amazonaws.com/b/p/restic/shop", true],
  ["azure:b:/p/restic/shop", true],
  ["s3:s3-eu.amazonaws.com/b/restic/shop", false],
  ["s3:s3-eu.amazonaws.com/b/p/restic/other", false],
])("isAt() knows whether %j is where the location has it", (address, expected) => {
  expect(isAt(at({ objectStorage: { bucket: "b", prefix: "p" } }), "shop", address)).toBe(expected);
});

test.each([
  [{ provider: "azure" }, "names no storage account"],
  [{ provider: "azure", config: { storageAccount: "a", useAAD: "true" } }, "asks for Entra ID (useAAD)"],
  [
    { provider: "velero.io/fs", config: { fspath: "/x" } },
    "is a folder that Velero's own node agent has mounted",
  ],
  [{ config: { s3Url: "https://s3/path" } }, "config.s3Url https://s3/path has a path"],
  [{ config: { s3Url: "s3" } }, "config.s3Url s3 is not a URL."],
  [
    { objectStorage: { bucket: "b", caCertRef: { name: "", key: "k" } } },
    "names no Secret in objectStorage.caCertRef",
  ],
])("storageOf() refuses %j", (spec, why) => {
  expect(storageOf(at(spec), "shop")).toMatchObject({ ok: false, error: expect.stringContaining(why) });
});
