import { expect, test } from "vitest";
import type { Backend } from "../../wire/backend.ts";
import type { Credentials } from "../../wire/credentials.ts";
import { copyClash } from "./copy_clash.ts";
import { resticLocation } from "./location.ts";

type Side = readonly [Backend, Credentials];

const at = ([backend, credentials]: Side) =>
  resticLocation(backend, credentials, { folder: "", sftpProgram: "" });
const s3 = (key: string, more: object = {}): Side => [
  { s3: { bucket: "b", ...more } },
  { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: key },
];
const sftp = (host: string): Side => [
  { sftp: { host, user: "u", path: "/p" } },
  { SFTP_PASSWORD: "p", SFTP_KNOWN_HOSTS: "h k" },
];
const gcs = (more: object = {}): Side => [{ gcs: { bucket: "b", ...more } }, { GCS_CREDENTIALS_JSON: "{}" }];
const rclone = (text: string): Side => [{ rclone: { remote: "r:p" } }, { RCLONE_CONFIG: text }];
const disk: Side = [{ filesystem: { path: "/r" } }, {}];

test.each<[string, Side, Side, readonly string[]]>([
  ["a disk and S3", disk, s3("one", { region: "eu" }), []],
  ["two buckets", s3("one", { region: "eu" }), s3("one", { region: "eu", bucket: "c" }), []],
  ["two keys", s3("one"), s3("two"), ["AWS_SECRET_ACCESS_KEY"]],
  ["two regions", s3("one", { region: "eu" }), s3("one", { region: "us" }), ["s3.region"]],
  ["a region for one", s3("one"), s3("one", { region: "eu" }), ["s3.region"]],
  ["a GCS server for one", gcs({ endpoint: "http://there" }), gcs(), ["STORAGE_EMULATOR_HOST"]],
  ["a GCS server for the other", gcs(), gcs({ endpoint: "http://there" }), ["STORAGE_EMULATOR_HOST"]],
  ["GCS and S3 with a region", gcs({ endpoint: "http://there" }), s3("one", { region: "eu" }), []],
  ["two authorities", s3("one", { tls: { ca: "A" } }), s3("one", { tls: { ca: "B" } }), ["ca.pem"]],
  ["an authority for one", s3("one", { tls: { ca: "A" } }), s3("one"), ["--cacert"]],
  ["one unchecked", s3("one", { tls: { insecureSkipVerify: true } }), s3("one"), ["--insecure-tls"]],
  ["one SFTP server", sftp("h"), sftp("h"), []],
  ["two SFTP servers", sftp("h"), sftp("g"), ["HOLDFAST_SFTP_SERVER"]],
  ["SFTP and S3 with an authority", sftp("h"), s3("one", { tls: { ca: "A" } }), []],
  ["one rclone configuration", rclone("[r]"), rclone("[r]"), []],
  ["two rclone configurations", rclone("[r]"), rclone("[s]"), ["rclone.conf"]],
])("a copy between %s", (_, from, to, clash) => {
  expect(copyClash(at(from), at(to))).toEqual(clash);
});
