import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { RepositorySpec } from "../../../kinds/kopiur/generated/repository.ts";
import { readyNas, repository, SETTINGS } from "../testing/samples.ts";
import { accessOf } from "./access.ts";
import { connectTask } from "./connect_task.ts";

const auth = { secretRef: { name: "keys" } };
const S3 = {
  s3: { bucket: "b", prefix: "p/", endpoint: "s3.example:9000", addressing: "Path", auth },
} as const;

describe("accessOf()", () => {
  test.each<[string, RepositorySpec["backend"], object]>([
    [
      "filesystem",
      { filesystem: { pvc: { name: "store" }, path: "/kopia" } },
      { filesystem: { path: "/holdfast/repository/kopia" } },
    ],
    ["s3", S3, { s3: { bucket: "b", prefix: "p/", endpoint: "s3.example:9000", addressing: "Path" } }],
    [
      "azure",
      { azure: { container: "c", storageAccount: "a", auth } },
      { azure: { container: "c", account: "a" } },
    ],
    ["gcs", { gcs: { bucket: "b", projectId: "p" } }, { gcs: { bucket: "b", projectId: "p" } }],
    ["b2", { b2: { bucket: "b", auth } }, { b2: { bucket: "b" } }],
    [
      "sftp",
      { sftp: { host: "h", port: 22, username: "u", path: "/p", auth } },
      { sftp: { host: "h", port: 22, user: "u", path: "/p" } },
    ],
    ["webDav", { webDav: { url: "https://h/p" } }, { webdav: { url: "https://h/p" } }],
    ["rclone", { rclone: { remotePath: "r:p", auth } }, { rclone: { remote: "r:p" } }],
  ])("%s is as a mover understands it", (_, backend, wanted) => {
    const access = accessOf(repository({ spec: { backend } }));
    expect(access.ok && access.value.repository).toEqual({ backend: wanted });
  });

  test("mounts secrets by name, and the claim of a repository on a volume", () => {
    const onVolume = accessOf(repository());
    expect(onVolume.ok && onVolume.value).toMatchObject({
      engine: "kopia",
      secrets: { password: { secret: "creds", key: "KOPIA_PASSWORD" } },
      repositoryVolume: { claim: "store" },
    });
    const inS3 = accessOf(repository({ spec: { backend: S3 } }));
    expect(inS3.ok && inS3.value.secrets.credentials).toMatchObject([{ secret: "keys" }]);
    expect(inS3.ok && inS3.value.repositoryVolume).toBeUndefined();
  });

  test("expects the repository that it knows, or the one that was acknowledged", () => {
    const known = accessOf(readyNas());
    expect(known.ok && known.value.repository.expectedId).toBe("id-1");
    const annotations = { [ANNOTATIONS.acknowledgeRepository]: "id-2" };
    const other = accessOf(readyNas({ metadata: { annotations } }));
    expect(other.ok && other.value.repository.expectedId).toBe("id-2");
  });

  test("hands on rate limits and certificate authorities", () => {
    const tls = { caBundleRef: { configMapName: "ca", key: "ca.crt" }, insecureSkipVerify: false };
    const spec = { backend: { s3: { ...S3.s3, tls } }, rateLimits: { upload: "1Mi" } };
    const access = accessOf(repository({ spec }), { text: "PEM" });
    expect(access.ok && access.value.repository).toMatchObject({
      backend: { s3: { tls: { ca: "PEM", insecureSkipVerify: false } } },
      limits: { upload: 1_048_576 },
    });
    expect(accessOf(repository({ spec }), { problem: "it is not there" })).toMatchObject({
      ok: false,
      error: { reason: "CABundleMissing", message: "it is not there" },
    });
  });

  test.each<[string, Partial<RepositorySpec>, string]>([
    [
      "the cloud's identity",
      { backend: { s3: { ...S3.s3, auth: { workloadIdentity: { serviceAccountName: "s" } } } } },
      "WorkloadIdentityUnsupported",
    ],
    ["WebDAV with restic", { engine: "restic", backend: { webDav: { url: "https://h/p" } } }, "Unsupported"],
  ])("refuses %s", (_, spec, reason) => {
    expect(accessOf(repository({ spec }))).toMatchObject({ ok: false, error: { class: "terminal", reason } });
  });
});

describe("connectTask()", () => {
  const workOf = (object: ReturnType<typeof repository>) => {
    const task = connectTask({ repository: object, settings: SETTINGS, consent: false }, "connect-1");
    return task.ok && task.value.work.work;
  };

  test.each([
    [
      "creates where that is allowed",
      repository({ spec: { create: { enabled: true, hash: "BLAKE3-256" } } }),
      { create: true, parameters: { hash: "BLAKE3-256" } },
    ],
    ["only opens where it is not", repository({ spec: { create: { enabled: false } } }), {}],
    ["never creates what was there once", readyNas(), {}],
  ])("%s", (_, object, init) => {
    expect(workOf(object)).toEqual({ init });
  });
});
