import { describe, expect, test } from "vitest";
import type { EngineName } from "../../wire/capabilities.ts";
import { violationText } from "../reconcile/violation.ts";
import { type EngineSettings, repositoryLimits } from "./repository_limits.ts";

const secretRef = { name: "creds" };
const webDav = { url: "https://dav.example.com/backups", auth: { secretRef } };
const create = {
  enabled: true,
  hash: "BLAKE3-256",
  splitter: "FIXED-4M",
  encryption: "AES256-GCM-HMAC-SHA256",
} as const;

test("kopia can do all of it", () => {
  expect(repositoryLimits({ engine: "kopia", backend: { webDav }, create })).toEqual([]);
});

test("restic cannot, and says so field by field", () => {
  const limits = repositoryLimits({ engine: "restic", backend: { webDav }, create });
  expect(limits.map(({ field }) => field)).toEqual([
    "backend.webDav",
    "create.encryption",
    "create.splitter",
    "create.hash",
  ]);
  expect(limits.map(violationText)).toEqual([
    "restic cannot use the backend webDav: it does not speak to that kind of storage. Use another backend, or engine kopia.",
    "restic cannot create a repository with encryption AES256-GCM-HMAC-SHA256: it offers no choice there. Leave create.encryption out, or use engine kopia.",
    "restic cannot create a repository with splitter FIXED-4M: it offers no choice there. Leave create.splitter out, or use engine kopia.",
    "restic cannot create a repository with hash BLAKE3-256: it offers no choice there. Leave create.hash out, or use engine kopia.",
  ]);
});

test.each([
  { s3: { bucket: "backups", addressing: "Auto", auth: { secretRef } } },
  { azure: { container: "container", storageAccount: "a", auth: { secretRef } } },
  { gcs: { bucket: "backups" } },
  { b2: { bucket: "backups", auth: { secretRef } } },
  { filesystem: { pvc: { name: "store" }, path: "/" } },
  { sftp: { host: "h", port: 22, username: "u", path: "/", auth: { secretRef } } },
  { rclone: { remotePath: "r:p", auth: { secretRef } } },
] as const)("either engine can use %j", (backend) => {
  for (const engine of ["kopia", "restic"] as const) {
    expect(repositoryLimits({ engine, backend, create: { enabled: false } })).toEqual([]);
  }
});

const tls = { insecureSkipVerify: true };
const s3 = { bucket: "backups", auth: { secretRef } };
const azure = { container: "container", storageAccount: "a", auth: { secretRef } };
const limits = (engine: EngineName, backend: EngineSettings["backend"]) =>
  repositoryLimits({ engine, backend, create: { enabled: false } });

describe("a setting of a storage that one engine does not have", () => {
  test.each<[EngineSettings["backend"], EngineName, string]>([
    [
      { s3: { ...s3, addressing: "Path" } },
      "kopia",
      "kopia cannot name the bucket in the path: it does so in the host name at Amazon, and in the path everywhere else. Leave addressing out, or use engine restic.",
    ],
    [
      { s3: { ...s3, addressing: "Host", endpoint: "s3.example.com" } },
      "kopia",
      "kopia cannot name the bucket in the host name: it does so in the host name at Amazon, and in the path everywhere else. Leave addressing out, or use engine restic.",
    ],
    [
      { azure: { ...azure, tls } },
      "kopia",
      "kopia cannot accept any certificate with the backend azure: it always checks them there. Trust the authority that signed the server's, with tls.caBundleRef.",
    ],
    [
      { azure: { ...azure, endpoint: "http://azurite:10000/a" } },
      "restic",
      "restic cannot use the endpoint http://azurite:10000/a: it takes the suffix of a host name, and no URL. Give the suffix alone, such as blob.core.windows.net, or use engine kopia.",
    ],
  ])("is refused beforehand: %j", (backend, engine, text) => {
    expect(limits(engine, backend).map(violationText)).toEqual([text]);
    expect(limits(engine === "kopia" ? "restic" : "kopia", backend)).toEqual([]);
  });

  test("is told once, of a storage that the engine does not have either", () => {
    expect(limits("restic", { webDav: { ...webDav, tls } })).toMatchObject([{ field: "backend.webDav" }]);
    expect(limits("kopia", { webDav: { ...webDav, tls } })).toMatchObject([
      { field: "backend.webDav.tls.insecureSkipVerify" },
    ]);
  });

  test.each<EngineSettings["backend"]>([
    { s3: { ...s3, addressing: "Host" } },
    { s3: { ...s3, addressing: "Path", endpoint: "s3.example.com" } },
    { s3: { ...s3, addressing: "Auto", tls } },
    { azure: { ...azure, endpoint: "blob.core.example.com" } },
  ])("is taken where both have it: %j", (backend) => {
    expect(limits("kopia", backend)).toEqual([]);
    expect(limits("restic", backend)).toEqual([]);
  });
});
