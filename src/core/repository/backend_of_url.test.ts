import { expect, test } from "vitest";
import { backendOfUrl } from "./backend_of_url.ts";

const keys = [{ name: "s3", key: "id", as: "AWS_ACCESS_KEY_ID" }] as const;
const backend = (url: string, more = {}) => backendOfUrl({ url, values: {}, keys, ...more });

test.each([
  [
    "s3:s3.amazonaws.com/bucket/path/",
    {
      s3: {
        bucket: "bucket",
        prefix: "path",
        endpoint: "https://s3.amazonaws.com",
        addressing: "Auto",
        auth: { keys },
      },
    },
  ],
  [
    "s3:http://minio:9000/bucket",
    { s3: { bucket: "bucket", endpoint: "http://minio:9000", addressing: "Auto", auth: { keys } } },
  ],
  ["b2:bucket:a/b", { b2: { bucket: "bucket", prefix: "a/b", auth: { keys } } }],
  ["gs:bucket:/a", { gcs: { bucket: "bucket", prefix: "a", auth: { keys } } }],
  [
    "sftp:me@nas:/srv/restic",
    { sftp: { username: "me", host: "nas", port: 22, path: "/srv/restic", auth: { keys } } },
  ],
  [
    "sftp://me@nas:2222//srv/restic",
    { sftp: { username: "me", host: "nas", port: 2222, path: "/srv/restic", auth: { keys } } },
  ],
  ["rclone:remote:path", { rclone: { remotePath: "remote:path", auth: { keys } } }],
])("backendOfUrl(%s)", (url, value) => {
  expect(backend(url)).toEqual({ ok: true, value });
});

test("a region, an Azure account and a volume come from other fields", () => {
  expect(backend("s3:h/b", { values: { AWS_DEFAULT_REGION: "eu" } })).toMatchObject({
    value: { s3: { region: "eu" } },
  });
  expect(backend("azure:box:/p", { values: { AZURE_ACCOUNT_NAME: "me" } })).toMatchObject({
    value: { azure: { container: "box", prefix: "p", storageAccount: "me" } },
  });
  expect(backend("/restic", { volume: "nas" })).toEqual({
    ok: true,
    value: { filesystem: { pvc: { name: "nas" }, path: "/restic" } },
  });
});

const schemes = ["s3", "b2", "azure", "gs", "sftp", "rclone"];

test.each([
  ["rest:https://user:secret@host/", { type: "Scheme", known: schemes }],
  ["s3:bucket", { type: "Form", form: "s3:host/bucket/path" }],
  ["azure:box:/p", { type: "Form", form: expect.stringContaining("AZURE_ACCOUNT_NAME") }],
  ["/restic", { type: "Volume" }],
  ["nonsense", { type: "Scheme", known: schemes }],
])("backendOfUrl() refuses %s, without repeating it", (url, error) => {
  expect(backend(url)).toEqual({ ok: false, error });
});
