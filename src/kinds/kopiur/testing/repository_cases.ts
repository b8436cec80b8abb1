import type { KindCases } from "./case.ts";

const encryption = { passwordSecretRef: { name: "creds", key: "KOPIA_PASSWORD" } };
const auth = { secretRef: { name: "creds" } };
const s3 = { bucket: "my-backups", auth };
const least = { backend: { s3 }, encryption };
const volume = (path: string) => ({ encryption, backend: { filesystem: { pvc: { name: "nas" }, path } } });
const exists = { uniqueID: "fb6e" };

export const repositoryCases: KindCases = {
  kind: "Repository",
  cases: [
    {
      name: "the least, with defaults that can be seen",
      spec: { ...least, encryption: { passwordSecretRef: { name: "creds" } } },
      stored: {
        engine: "kopia",
        backend: { s3: { ...s3, addressing: "Auto" } },
        encryption,
        create: {},
        catalog: { enabled: true, retain: { perIdentity: 100, maxAgeDays: 90 }, refreshInterval: "5m" },
        concurrency: { maxRuns: 4 },
        maintenance: { enabled: true },
        deletionGuard: { maxDeletions: 20, window: "10m", lastBackups: "Hold" },
      },
    },
    {
      name: "everything",
      spec: {
        backend: {
          s3: {
            ...s3,
            prefix: "clusters/prod/",
            endpoint: "s3.us-east-1.amazonaws.com",
            region: "us-east-1",
            addressing: "Path",
            tls: { caBundleRef: { configMapName: "corp-ca", key: "ca.crt" }, insecureSkipVerify: false },
          },
        },
        encryption,
        create: {
          enabled: true,
          encryption: "AES256-GCM-HMAC-SHA256",
          splitter: "DYNAMIC-4M-BUZHASH",
          hash: "BLAKE3-256",
        },
        cacheDefaults: {
          capacity: "8Gi",
          storageClassName: "fast-ssd",
          metadataCacheSizeMB: 5000,
          contentCacheSizeMB: 2000,
        },
        moverDefaults: { nodeSelector: { disk: "fast" }, tolerations: [{ operator: "Exists" }] },
        catalog: { retain: { perIdentity: 10, maxAgeDays: 30 }, refreshInterval: "1h" },
        allowedNamespaces: { selector: { matchLabels: { tier: "enterprise" } } },
        concurrency: { maxRuns: 8 },
        rateLimits: { upload: "10Mi", download: 1000000 },
        deletionGuard: { maxDeletions: 5, window: "1h", lastBackups: "Delete" },
        kopiaImageOverride: "registry.example.com/mover@sha256:00",
      },
    },
    { name: "every namespace", spec: { ...least, allowedNamespaces: { all: true } } },
    {
      name: "none by all: false",
      spec: { ...least, allowedNamespaces: { all: false } },
      problems: ["spec.allowedNamespaces.all: Unsupported value: false", "<nil>: Invalid value"],
    },
    {
      name: "no backend",
      spec: { ...least, backend: {} },
      problems: ["spec.backend: Invalid value: exactly one of s3, azure, gcs, b2, filesystem"],
    },
    {
      name: "two backends",
      spec: { ...least, backend: { s3, b2: { bucket: "other", auth } } },
      problems: ["spec.backend: Invalid value: exactly one of"],
    },
    {
      name: "a backend that there is not",
      spec: { ...least, backend: { ftp: {} } },
      problems: ["spec.backend: Invalid value: exactly one of"],
    },
    {
      name: "no password",
      spec: { backend: { s3 } },
      problems: ["spec.encryption: Required value", "<nil>: Invalid value"],
    },
    {
      name: "two ways to prove itself",
      spec: {
        ...least,
        backend: { s3: { ...s3, auth: { ...auth, workloadIdentity: { serviceAccountName: "kopia" } } } },
      },
      problems: ["spec.backend.s3.auth: Invalid value: exactly one of secretRef, workloadIdentity"],
    },
    {
      name: "a cloud's identity, which is refused later and with a reason",
      spec: {
        ...least,
        backend: { s3: { ...s3, auth: { workloadIdentity: { serviceAccountName: "kopia" } } } },
      },
    },
    {
      name: "a password in plain sight, by leaving it out",
      spec: { ...least, encryption: { ...encryption, password: "secret" } },
      stored: { encryption },
      unknown: ["spec.encryption.password"],
    },
    {
      name: "the namespace of a Secret, by leaving it out: it is the Repository's own",
      spec: { ...least, encryption: { passwordSecretRef: { name: "creds", namespace: "other" } } },
      unknown: ["spec.encryption.passwordSecretRef.namespace"],
    },
    {
      name: "a prefix that begins with a slash",
      spec: { ...least, backend: { s3: { ...s3, prefix: "/prod" } } },
      problems: ['spec.backend.s3.prefix: Invalid value: "/prod"'],
    },
    { name: "a folder", spec: volume("clusters/prod"), stored: volume("clusters/prod") },
    { name: "the volume itself", spec: volume("/"), stored: volume("/") },
    {
      name: "a folder outside of the volume",
      spec: volume("a/../../b"),
      problems: ["spec.backend.filesystem.path: Invalid value: \"a/../../b\": path must not contain '..'"],
    },
    {
      name: "a port that there is not",
      spec: {
        encryption,
        backend: { sftp: { host: "nas", username: "me", path: "/backups", port: 65536, auth } },
      },
      problems: ["spec.backend.sftp.port: Invalid value: 65536"],
    },
    {
      name: "an unknown cipher",
      spec: { ...least, create: { encryption: "ROT13" } },
      problems: ['spec.create.encryption: Unsupported value: "ROT13"', "<nil>: Invalid value"],
    },
    {
      name: "a selector without its values",
      spec: {
        ...least,
        allowedNamespaces: { selector: { matchExpressions: [{ key: "tier", operator: "In" }] } },
      },
      problems: ["spec.allowedNamespaces.selector.matchExpressions[0]: Invalid value"],
    },
    { name: "restic", spec: { ...least, engine: "restic" } },
    {
      name: "restic on WebDAV",
      spec: { encryption, engine: "restic", backend: { webDav: { url: "https://dav.example.com/" } } },
      problems: ["spec.backend: Invalid value: restic cannot use WebDAV"],
    },
    { name: "one that is read alone", spec: { ...least, access: { readOnly: true } } },
    {
      name: "one that is read alone, and is to be created",
      spec: { ...least, access: { readOnly: true }, create: { enabled: true } },
      problems: ["spec.create.enabled: Invalid value: a read-only repository is never created"],
    },
    {
      name: "restic with kopia's parameters",
      spec: { ...least, engine: "restic", create: { hash: "BLAKE3-256" } },
      problems: ["spec.create: Invalid value: restic has no choice"],
    },
    {
      name: "other parameters before the repository exists",
      spec: { ...least, engine: "restic" },
      old: { spec: { ...least, create: { hash: "BLAKE3-256" } }, status: { phase: "Failed" } },
    },
    {
      name: "another engine for a repository that exists",
      spec: { ...least, engine: "restic" },
      old: { spec: least, status: exists },
      problems: ["spec.engine: Invalid value: engine is immutable once the repository exists"],
    },
    {
      name: "another hash for a repository that exists",
      spec: { ...least, create: { hash: "BLAKE2B-256" } },
      old: { spec: { ...least, create: { hash: "BLAKE3-256" } }, status: exists },
      problems: ["spec.create.hash: Invalid value: create.hash is immutable"],
    },
    {
      name: "a cipher that comes late",
      spec: { ...least, create: { encryption: "AES256-GCM-HMAC-SHA256" } },
      old: { spec: least, status: exists },
      problems: ["spec.create.encryption: Invalid value: create.encryption is immutable"],
    },
    {
      name: "another place for a repository that exists: its ID tells whether it is the same",
      spec: { ...least, backend: { s3: { ...s3, bucket: "moved", endpoint: "minio:9000" } } },
      old: { spec: least, status: exists },
    },
  ],
};
