import { expect, test } from "vitest";
import { repositoryLimits } from "./repository_limits.ts";
import { violationText } from "./violation.ts";

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
    "spec.backend.webDav",
    "spec.create.encryption",
    "spec.create.splitter",
    "spec.create.hash",
  ]);
  expect(limits.map(violationText)).toEqual([
    "restic cannot use the backend webDav: it does not speak to that kind of storage. Use another backend, or engine kopia.",
    "restic cannot create a repository with encryption AES256-GCM-HMAC-SHA256: it offers no choice there. Leave create.encryption out, or use engine kopia.",
    "restic cannot create a repository with splitter FIXED-4M: it offers no choice there. Leave create.splitter out, or use engine kopia.",
    "restic cannot create a repository with hash BLAKE3-256: it offers no choice there. Leave create.hash out, or use engine kopia.",
  ]);
});

test.each([
  { s3: { bucket: "b", addressing: "Auto", auth: { secretRef } } },
  { azure: { container: "c", storageAccount: "a", auth: { secretRef } } },
  { gcs: { bucket: "b" } },
  { b2: { bucket: "b", auth: { secretRef } } },
  { filesystem: { pvc: { name: "store" }, path: "/" } },
  { sftp: { host: "h", port: 22, username: "u", path: "/", auth: { secretRef } } },
  { rclone: { remotePath: "r:p", auth: { secretRef } } },
] as const)("either engine can use %j", (backend) => {
  for (const engine of ["kopia", "restic"] as const) {
    expect(repositoryLimits({ engine, backend, create: { enabled: false } })).toEqual([]);
  }
});
