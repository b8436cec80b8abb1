import { expect, test } from "vitest";
import type { Backend } from "../../wire/backend.ts";
import type { Credentials } from "../../wire/credentials.ts";
import { resticLocation } from "./location.ts";

const PLACE = { folder: "/private", sftpProgram: "/bin/holdfast-sftp" };
const S3_KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret-of-s3" };

test.each<readonly [Backend, Credentials, string]>([
  [{ filesystem: { path: "/r" } }, {}, "/r"],
  [{ s3: { bucket: "b" } }, S3_KEYS, "s3:https://s3.amazonaws.com/b"],
  [{ s3: { bucket: "b", prefix: "/p/q/", endpoint: "http://h:9000/" } }, S3_KEYS, "s3:http://h:9000/b/p/q"],
  [{ azure: { account: "a", container: "c", prefix: "p" } }, { AZURE_STORAGE_KEY: "k" }, "azure:c:/p"],
  [{ gcs: { bucket: "b", prefix: "p" } }, {}, "gs:b:/p"],
  [{ b2: { bucket: "b" } }, { B2_ACCOUNT_ID: "i", B2_ACCOUNT_KEY: "k" }, "b2:b:/"],
  [{ rclone: { remote: "r:p" } }, { RCLONE_CONFIG: "[r]" }, "rclone:r:p"],
  [
    { sftp: { host: "h", user: "u", path: "/p" } },
    { SFTP_PASSWORD: "p", SFTP_KNOWN_HOSTS: "h k" },
    "sftp://u@h:22//p",
  ],
])("resticLocation() of %j", (backend, credentials, wanted) => {
  expect(resticLocation(backend, credentials, PLACE).repository).toBe(wanted);
});

test("resticLocation() puts B2's key into the environment", () => {
  const credentials = { B2_ACCOUNT_ID: "i", B2_ACCOUNT_KEY: "k" };
  expect(resticLocation({ b2: { bucket: "b" } }, credentials, PLACE).env).toEqual(credentials);
});

test("resticLocation() keeps secrets out of arguments and repository", () => {
  const s3 = { bucket: "b", region: "eu", tls: { ca: "PEM" } };
  const { args, repository, files } = resticLocation({ s3 }, S3_KEYS, PLACE);
  expect([repository, ...args].join(" ")).not.toContain("secret-of-s3");
  expect(args).toEqual(["-o", "s3.bucket-lookup=auto", "-o", "s3.region=eu", "--cacert", "/private/ca.pem"]);
  expect(files).toEqual([{ name: "ca.pem", text: "PEM" }]);
});

test("resticLocation() reaches SFTP with the program that is there for it, which finds the secrets in the environment", () => {
  const sftp = { host: "h", port: 2222, user: "u", path: "/p" };
  const credentials = { SFTP_PASSWORD: "p", SFTP_KNOWN_HOSTS: "h k" };
  const { args, env, files } = resticLocation({ sftp }, credentials, PLACE);
  expect({ args, files }).toEqual({ args: ["-o", "sftp.command='/bin/holdfast-sftp'"], files: [] });
  const server = { host: "h", port: 2222, user: "u", knownHosts: "h k", password: "p" };
  expect(JSON.parse(env.HOLDFAST_SFTP_SERVER ?? "")).toEqual(server);
});

test.each([
  ["a server by its name", { endpoint: "https://s3.example.org" }, "auto"],
  ["a server by its address", { endpoint: "https://10.0.0.7" }, "path"],
  ["a server by its port", { endpoint: "http://minio.storage.svc:9000" }, "path"],
  ["buckets as paths", { endpoint: "https://s3.example.org", addressing: "Path" }, "path"],
  ["buckets as hosts", { endpoint: "https://s3.example.org:8443", addressing: "Host" }, "dns"],
] as const)("resticLocation() reaches %s", (_, s3, lookup) => {
  const { args } = resticLocation({ s3: { bucket: "b", ...s3 } }, S3_KEYS, PLACE);
  expect(args).toEqual(["-o", `s3.bucket-lookup=${lookup}`]);
});

test("resticLocation() passes a session's token on", () => {
  const credentials = { ...S3_KEYS, AWS_SESSION_TOKEN: "token" };
  const { env } = resticLocation({ s3: { bucket: "b" } }, credentials, PLACE);
  expect(env).toMatchObject({ AWS_SESSION_TOKEN: "token" });
});

test("resticLocation() names the keys that are missing", () => {
  expect(() => resticLocation({ s3: { bucket: "b" } }, { AWS_ACCESS_KEY_ID: "i" }, PLACE)).toThrow(
    "the s3 backend needs AWS_SECRET_ACCESS_KEY",
  );
});

test("resticLocation() says that a key of Google's is none, without quoting it", () => {
  const garbled = () => resticLocation({ gcs: { bucket: "b" } }, { GCS_CREDENTIALS_JSON: "ewog" }, PLACE);
  const said = { class: "CredentialsMissing", detail: undefined };
  const message = expect.stringMatching(/^(?!.*ewog).*GCS_CREDENTIALS_JSON is not JSON$/);
  expect(garbled).toThrow(expect.objectContaining({ ...said, message }));
  const { files } = resticLocation({ gcs: { bucket: "b" } }, { GCS_CREDENTIALS_JSON: "{}" }, PLACE);
  expect(files).toEqual([{ name: "gcs.json", text: "{}" }]);
});

test("resticLocation() refuses WebDAV, which restic does not speak", () => {
  expect(() => resticLocation({ webdav: { url: "http://h" } }, {}, PLACE)).toThrow("no webdav backend");
});

test("a GCS project is never named: with one, restic would create a bucket that is missing", () => {
  const { env } = resticLocation({ gcs: { bucket: "b" } }, {}, PLACE);
  expect(Object.keys(env).filter((name) => name.includes("PROJECT"))).toEqual([]);
});
