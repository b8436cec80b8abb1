import { describe, expect, test } from "vitest";
import {
  CLUSTER_REPOSITORIES,
  clusterRepository,
  GROUP,
  REPOSITORIES,
  readyNas,
  repository,
  SETTINGS,
} from "../testing/samples.ts";
import { type AccessRequest, accessOf } from "./access.ts";
import { connectTask } from "./connect_task.ts";
import type { Repository, RepositorySpec } from "./repository.ts";

const auth = { secretRef: { name: "keys" } };
const S3 = {
  s3: { bucket: "backups", prefix: "p/", endpoint: "s3.example:9000", addressing: "Path", auth },
} as const;

function access(object: Repository, more: Partial<AccessRequest> = {}) {
  return accessOf(object, { namespace: "billing", settings: SETTINGS, ...more });
}

interface Row {
  readonly backend: RepositorySpec["backend"];
  /** As a mover understands it. */
  readonly wire: object;
  /** What it gets to see of the Secret; those with a question mark may be missing. */
  readonly keys: readonly string[];
}

const tls = { insecureSkipVerify: true };
const checked = { insecureSkipVerify: false };
const ROWS: Readonly<Record<string, Row>> = {
  filesystem: {
    backend: { filesystem: { pvc: { name: "store" }, path: "/kopia" } },
    wire: { filesystem: { path: "/holdfast/repository/kopia" } },
    keys: [],
  },
  s3: {
    backend: { s3: { ...S3.s3, region: "r", tls } },
    wire: {
      s3: {
        bucket: "backups",
        prefix: "p/",
        endpoint: "s3.example:9000",
        addressing: "Path",
        region: "r",
        tls,
      },
    },
    keys: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN?"],
  },
  azure: {
    backend: {
      azure: { container: "container", prefix: "p/", storageAccount: "a", endpoint: "e", auth, tls: checked },
    },
    wire: { azure: { container: "container", prefix: "p/", account: "a", endpoint: "e", tls: checked } },
    keys: ["AZURE_STORAGE_KEY?", "AZURE_STORAGE_SAS_TOKEN?"],
  },
  gcs: {
    backend: { gcs: { bucket: "backups", prefix: "p/", endpoint: "http://e", projectId: "shop", auth } },
    wire: { gcs: { bucket: "backups", prefix: "p/", endpoint: "http://e" } },
    keys: ["GCS_CREDENTIALS_JSON?"],
  },
  b2: {
    backend: { b2: { bucket: "backups", prefix: "p/", auth } },
    wire: { b2: { bucket: "backups", prefix: "p/" } },
    keys: ["B2_ACCOUNT_ID", "B2_ACCOUNT_KEY"],
  },
  sftp: {
    backend: { sftp: { host: "h", port: 22, username: "u", path: "/p", auth } },
    wire: { sftp: { host: "h", port: 22, user: "u", path: "/p" } },
    keys: ["SFTP_PRIVATE_KEY?", "SFTP_KNOWN_HOSTS", "SFTP_PASSWORD?"],
  },
  webDav: {
    backend: { webDav: { url: "https://h/p", auth, tls: checked } },
    wire: { webdav: { url: "https://h/p", tls: checked } },
    keys: ["WEBDAV_USERNAME?", "WEBDAV_PASSWORD?"],
  },
  rclone: {
    backend: { rclone: { remotePath: "r:p", auth } },
    wire: { rclone: { remote: "r:p" } },
    keys: ["RCLONE_CONFIG"],
  },
};

describe("accessOf()", () => {
  test("of a read-only repository writes nothing, not even to its volume", () => {
    const found = access(repository({ spec: { access: { readOnly: true } } }));
    expect(found).toMatchObject({
      ok: true,
      value: { repository: { readOnly: true }, repositoryVolume: { claim: "store", readOnly: true } },
    });
  });

  describe.each(["kopia", "restic"] as const)("with %s", (engine) => {
    test.each(Object.entries(ROWS))("%s is as a mover understands it, or refused", (name, row) => {
      const found = access(repository({ spec: { engine, backend: row.backend } }));
      if (engine === "restic" && name === "webDav") {
        const error = { class: "terminal", reason: "Unsupported" };
        const message = expect.stringContaining("Restic cannot use the backend webDav");
        return expect(found).toMatchObject({ ok: false, error: { ...error, message } });
      }
      if (!found.ok) throw new Error(found.error.message);
      expect(found.value.repository).toEqual({ backend: row.wire });
      expect(found.value.engine).toBe(engine);
      const shown = found.value.secrets.credentials?.flatMap(({ items = [] }) =>
        items.map(({ key, as, optional }) => {
          expect(as).toBe(key);
          return optional ? `${key}?` : key;
        }),
      );
      return expect(shown ?? []).toEqual(row.keys);
    });
  });

  test("storage without a login needs no Secret but the password's", () => {
    for (const backend of [{ gcs: { bucket: "backups" } }, { webDav: { url: "https://h/p" } }]) {
      const found = access(repository({ spec: { backend } }));
      expect(found.ok && found.value.secrets).toEqual({
        password: { secret: "creds", key: "KOPIA_PASSWORD" },
      });
    }
  });

  test("mounts secrets by name, and the claim of a repository on a volume", () => {
    const onVolume = access(repository());
    expect(onVolume.ok && onVolume.value).toMatchObject({
      secrets: { password: { secret: "creds", key: "KOPIA_PASSWORD" } },
      repositoryVolume: { claim: "store" },
    });
    const inS3 = access(repository({ spec: { backend: S3 } }));
    expect(inS3.ok && inS3.value.secrets.credentials).toMatchObject([{ secret: "keys" }]);
    expect(inS3.ok && inS3.value.repositoryVolume).toBeUndefined();
  });

  describe("a run in another namespace than the Secrets", () => {
    const elsewhere = { namespace: "shop" };
    const lends = { settings: { ...SETTINGS, lendSecrets: true } };

    test.each([
      ["one of the whole cluster", clusterRepository(), { namespace: "platform", name: "shared-creds" }],
      ["one of a namespace", repository({ spec: { backend: S3 } }), { namespace: "billing", name: "creds" }],
    ])("is lent those of %s", (_, object, lent) => {
      const found = access(object, { ...elsewhere, ...lends });
      expect(found.ok && found.value.secrets.password).toMatchObject({ lent });
      expect(found.ok && found.value.secrets.credentials).toMatchObject([
        { lent: { namespace: lent.namespace }, items: expect.any(Array) },
      ]);
    });

    test("mounts the claim of the same name of its own", () => {
      const found = access(repository(), { ...elsewhere, ...lends });
      expect(found.ok && found.value.repositoryVolume).toEqual({ claim: "store" });
    });

    test("is refused with a reason while lending is off", () => {
      expect(access(clusterRepository(), elsewhere)).toMatchObject({
        ok: false,
        error: {
          class: "structural",
          reason: "LendingOff",
          message: expect.stringMatching(
            /^A run in namespace shop needs Secret platform\/shared-creds, .*\. Set lendSecrets.enabled=true/,
          ),
        },
      });
    });

    test("needs nothing lent where the Secrets are its own", () => {
      const found = access(clusterRepository(), { namespace: "platform" });
      expect(found.ok && found.value.secrets.password).toMatchObject({ secret: "shared-creds" });
    });
  });

  test("expects the repository that it knows, or the one that was acknowledged", () => {
    const known = access(readyNas());
    expect(known.ok && known.value.repository.expectedId).toBe("id-1");
    const annotations = { [`${GROUP}/acknowledge-repository-change`]: "id-2" };
    const other = access(readyNas({ metadata: { annotations } }));
    expect(other.ok && other.value.repository.expectedId).toBe("id-2");
  });

  test("hands on rate limits and certificate authorities", () => {
    const tls = { caBundleRef: { configMapName: "ca", key: "ca.crt" }, insecureSkipVerify: false };
    const spec = { backend: { s3: { ...S3.s3, tls } }, rateLimits: { upload: "1Mi" } };
    const found = access(repository({ spec }), { ca: { text: "PEM" } });
    expect(found.ok && found.value.repository).toMatchObject({
      backend: { s3: { tls: { ca: "PEM", insecureSkipVerify: false } } },
      limits: { upload: 1_048_576 },
    });
    expect(access(repository({ spec }), { ca: { problem: "it is not there" } })).toMatchObject({
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
    [
      "kopia's hash for restic",
      { engine: "restic", create: { enabled: true, hash: "BLAKE3-256" } },
      "Unsupported",
    ],
  ])("refuses %s", (_, spec, reason) => {
    expect(access(repository({ spec }))).toMatchObject({ ok: false, error: { class: "terminal", reason } });
  });
});

test("accessOf() takes single keys of Secrets, whatever they are called there", () => {
  const keys = [
    { name: "a", key: "id", as: "AWS_ACCESS_KEY_ID" },
    { name: "b", key: "key", as: "AWS_SECRET_ACCESS_KEY" },
  ] as const;
  const backend = { s3: { bucket: "backups", addressing: "Auto", auth: { keys } } } as const;
  const found = access(repository({ spec: { backend } }));
  expect(found.ok && found.value.secrets.credentials).toEqual([
    { secret: "a", items: [{ key: "id", as: "AWS_ACCESS_KEY_ID" }] },
    { secret: "b", items: [{ key: "key", as: "AWS_SECRET_ACCESS_KEY" }] },
  ]);
});

describe("connectTask()", () => {
  const context = { namespace: "billing", settings: SETTINGS, consent: false };
  const taskOf = (object: Repository, more: object = {}) => {
    const resource = object.metadata.namespace ? REPOSITORIES : CLUSTER_REPOSITORIES;
    const task = connectTask({ repository: object, ...context, ...more }, resource, "connect-1");
    if (!task.ok) throw new Error(task.error.message);
    return task.value;
  };

  test.each([
    [
      "creates where that is allowed",
      repository({ spec: { create: { enabled: true, hash: "BLAKE3-256" } } }),
      { create: true, parameters: { hash: "BLAKE3-256" } },
    ],
    ["only opens where it is not", repository({ spec: { create: { enabled: false } } }), {}],
    ["creates nothing of itself", repository({ spec: { create: {} } }), {}],
    ["never creates what was there once", readyNas(), {}],
    ["never creates what is read-only", repository({ spec: { access: { readOnly: true } } }), {}],
  ])("%s", (_, object, init) => {
    expect(taskOf(object).work.work).toEqual({ init });
  });

  test("creates what does not say so where the installation does, and nothing else", () => {
    const settings = { ...SETTINGS, createRepositories: true };
    const work = (object: Repository) => taskOf(object, { settings }).work.work;
    expect(work(repository({ spec: { create: {} } }))).toEqual({ init: { create: true } });
    expect(work(repository({ spec: { create: { enabled: false } } }))).toEqual({ init: {} });
    expect(work(repository({ spec: { create: {}, access: { readOnly: true } } }))).toEqual({ init: {} });
    expect(work(readyNas({ spec: { create: {} } }))).toEqual({ init: {} });
  });

  test("of a repository of the whole cluster runs in the operator's namespace, and belongs to it", () => {
    const settings = { ...SETTINGS, lendSecrets: true };
    const { namespace, owner } = taskOf(clusterRepository(), { namespace: "holdfast", settings });
    expect(namespace).toBe("holdfast");
    expect(owner).toMatchObject({ kind: "ClusterRepository", name: "shared" });
  });
});
