import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Place, RunningStorage, StorageUnderTest } from "../../src/engines/testing/backend_cases.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { startAzurite } from "./azurite.ts";
import { startB2 } from "./fake_b2.ts";
import { localNames } from "./local_names.ts";
import { served, stop } from "./serving.ts";

/** Storage servers that run on this machine, each for one group of cases. */
export const STORAGES: readonly StorageUnderTest[] = [
  { name: "S3", kind: "s3", start: (folder) => startS3(folder) },
  { name: "S3 with a certificate of its own", kind: "s3", start: startS3WithCertificate },
  { name: "SFTP with a key", kind: "sftp", start: (folder) => startSftp(folder, "key") },
  { name: "SFTP with a password", kind: "sftp", start: (folder) => startSftp(folder, "password") },
  { name: "WebDAV", kind: "webdav", start: startWebdav },
  { name: "GCS", kind: "gcs", start: startGcs },
  { name: "Azure", kind: "azure", start: startAzurite },
  { name: "B2", kind: "b2", start: startB2 },
  { name: "rclone", kind: "rclone", start: startRclone },
];

/** For what takes minutes. */
export const ONE_OF_EACH_KIND = STORAGES.filter(
  ({ kind }, at) => STORAGES.findIndex((storage) => storage.kind === kind) === at,
);

/** `host`: the address that it listens on and is reached at. */
export async function startS3(
  folder: string,
  host = "127.0.0.1",
  more: readonly string[] = [],
): Promise<RunningStorage> {
  const port = await freePort();
  const AWS_ACCESS_KEY_ID = randomUUID();
  const AWS_SECRET_ACCESS_KEY = randomUUID();
  await mkdir(join(folder, "data", "bucket"), { recursive: true });
  const child = await served(
    pinnedProgram("versitygw"),
    ["--port", `${host}:${port}`, ...more, "posix", join(folder, "data")],
    {
      host,
      port,
      env: { ROOT_ACCESS_KEY_ID: AWS_ACCESS_KEY_ID, ROOT_SECRET_ACCESS_KEY: AWS_SECRET_ACCESS_KEY },
    },
  );
  const credentials = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  const at = (bucket: string, prefix: string) => ({
    backend: { s3: { bucket, prefix, endpoint: `http://${host}:${port}`, region: "us-east-1" } },
    credentials,
  });
  return {
    at: (name) => at("bucket", name),
    bucketMissing: at("no-such-bucket", ""),
    forbidden: { ...at("bucket", "x"), credentials: { ...credentials, AWS_SECRET_ACCESS_KEY: randomUUID() } },
    stop: () => stop(child),
  };
}

async function startS3WithCertificate(folder: string): Promise<RunningStorage> {
  const names = await localNames(folder, {});
  const s3 = await startS3(folder, "127.0.0.1", ["--cert", names.certificate, "--key", names.key]);
  const over = ({ backend, credentials }: Place, ca?: string): Place => {
    if (!("s3" in backend)) return { backend, credentials };
    const endpoint = backend.s3.endpoint?.replace("http:", "https:") ?? "";
    return { backend: { s3: { ...backend.s3, endpoint, ...(ca ? { tls: { ca } } : {}) } }, credentials };
  };
  return {
    at: (name) => over(s3.at(name), names.ca),
    untrusted: over(s3.at("x")),
    stop: async () => {
      await s3.stop();
      await names.stop();
    },
  };
}

/** `knownByOne`: only one of the server's keys is known. */
export async function startSftp(
  folder: string,
  way: "key" | "password",
): Promise<RunningStorage & Record<"forbidden" | "untrusted" | "knownByOne", Place>> {
  const port = await freePort();
  const password = randomUUID();
  const key = await sshKey(folder, "client");
  const host = await sshKey(folder, "host");
  // Most servers have several, of which clients like this one better.
  const other = await sshKey(folder, "other", "ecdsa");
  const knownBy = (...keys: readonly { readonly shared: string }[]) =>
    keys.map(({ shared }) => `[127.0.0.1]:${port} ${shared}\n`).join("");
  await mkdir(join(folder, "data"));
  const child = await served(
    pinnedProgram("rclone-few"),
    [
      ...["serve", "sftp", join(folder, "data"), "--addr", `127.0.0.1:${port}`, "--key", other.file],
      ...["--key", host.file],
      ...["--vfs-cache-mode", "off"],
      ...(way === "key" ? ["--authorized-keys", `${key.file}.pub`] : ["--user", "backup"]),
    ],
    {
      port,
      env: {
        HOME: folder,
        RCLONE_CONFIG: join(folder, "none.conf"),
        ...(way === "key" ? {} : { RCLONE_PASS: password }),
      },
    },
  );
  const at = (path: string, credentials: object) => ({
    backend: { sftp: { host: "127.0.0.1", port, user: "backup", path: `/${path}` } },
    credentials: { SFTP_KNOWN_HOSTS: knownBy(host, other), ...credentials },
  });
  const good = way === "key" ? { SFTP_PRIVATE_KEY: key.secret } : { SFTP_PASSWORD: password };
  const bad = way === "key" ? { SFTP_PRIVATE_KEY: host.secret } : { SFTP_PASSWORD: "another" };
  return {
    at: (name) => at(name, good),
    forbidden: at("x", bad),
    untrusted: at("x", { ...good, SFTP_KNOWN_HOSTS: knownBy(key) }),
    knownByOne: at("x", { ...good, SFTP_KNOWN_HOSTS: knownBy(host) }),
    stop: () => stop(child),
  };
}

async function startWebdav(folder: string): Promise<RunningStorage> {
  const port = await freePort();
  const password = randomUUID();
  await mkdir(join(folder, "data"));
  const child = await served(
    pinnedProgram("rclone-few"),
    [
      ...["serve", "webdav", join(folder, "data"), "--addr", `127.0.0.1:${port}`, "--user", "backup"],
      ...["--dir-cache-time", "100ms"],
    ],
    { port, env: { HOME: folder, RCLONE_CONFIG: join(folder, "none.conf"), RCLONE_PASS: password } },
  );
  const at = (name: string, WEBDAV_PASSWORD: string) => ({
    backend: { webdav: { url: `http://127.0.0.1:${port}/${name}` } },
    credentials: { WEBDAV_USERNAME: "backup", WEBDAV_PASSWORD },
  });
  return {
    at: (name) => {
      mkdirSync(join(folder, "data", name), { recursive: true });
      return at(name, password);
    },
    bucketMissing: at("no-such-folder", password),
    forbidden: at("x", "another"),
    stop: () => stop(child),
  };
}

async function startGcs(): Promise<RunningStorage> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = [
    "-scheme",
    "http",
    "-host",
    "127.0.0.1",
    "-port",
    `${port}`,
    "-backend",
    "memory",
    "-public-host",
    address,
  ];
  const child = await served(pinnedProgram("fake-gcs-server"), args, { port, env: {} });
  const body = JSON.stringify({ name: "bucket" });
  await fetch(`http://${address}/storage/v1/b?project=test`, { method: "POST", body });
  const at = (bucket: string, prefix: string) => ({
    backend: { gcs: { bucket, prefix, endpoint: `http://${address}`, projectId: "test" } },
    credentials: {},
  });
  return {
    at: (name) => at("bucket", name),
    bucketMissing: at("no-such-bucket", "x"),
    stop: () => stop(child),
  };
}

async function startRclone(folder: string): Promise<RunningStorage> {
  await mkdir(join(folder, "data"));
  const RCLONE_CONFIG = `[disk]\ntype = alias\nremote = ${join(folder, "data")}\n`;
  return {
    at: (name) => ({ backend: { rclone: { remote: `disk:${name}` } }, credentials: { RCLONE_CONFIG } }),
    stop: async () => {},
  };
}

async function sshKey(folder: string, name: string, type = "ed25519") {
  const file = join(folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", type, "-N", "", "-C", "", "-f", file]);
  const shared = (await readFile(`${file}.pub`, "utf8")).trim();
  return { file, shared, secret: await readFile(file, "utf8") };
}
