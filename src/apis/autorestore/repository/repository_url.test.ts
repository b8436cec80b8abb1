import { expect, test } from "vitest";
import { backendOfUrl } from "./repository_url.ts";

const keys = [{ name: "s3", key: "id", as: "AWS_ACCESS_KEY_ID" }] as const;
const backend = (url: string, more = {}) => backendOfUrl({ at: "spec", url, values: {}, keys, ...more });

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

test.each([
  ["rest:https://user:secret@host/", "Use s3:"],
  ["s3:bucket", "Write it as s3:host/bucket/path"],
  ["azure:box:/p", "AZURE_ACCOUNT_NAME"],
  ["/restic", "volume.claimName"],
  ["nonsense", "Use s3:"],
])("backendOfUrl() refuses %s, without repeating it", (url, fix) => {
  const result = backend(url);
  expect(result).toMatchObject({ ok: false, error: { fix: expect.stringContaining(fix) } });
  expect(JSON.stringify(result)).not.toContain("secret");
});
