/** An object that is about to be written, and what becomes of it. */
interface Case {
  /** Ends the sentence "… takes" or "… refuses". */
  readonly name: string;
  readonly spec: object;
  readonly status?: object;
  /** The beginning of each problem, as `field: message`. Default: none, it is taken. */
  readonly problems?: readonly string[];
}

const pod = { kind: "Pod", namespace: "shop", name: "web-0", uid: "b7" };
const backup = { backupStorageLocation: "default", node: "n1", pod, repoIdentifier: "", volume: "data" };
const restore = {
  backupStorageLocation: "default",
  pod,
  repoIdentifier: "",
  snapshotID: "9f",
  sourceNamespace: "shop",
  volume: "data",
};
const repository = {
  backupStorageLocation: "default",
  maintenanceFrequency: "1h0m0s",
  volumeNamespace: "shop",
};

/** What the schemas take and refuse, by kind. */
export const veleroCases: readonly { readonly kind: string; readonly cases: readonly Case[] }[] = [
  {
    kind: "PodVolumeBackup",
    cases: [
      { name: "what the server writes", spec: backup, status: { progress: {} } },
      {
        name: "every field",
        spec: {
          ...backup,
          cancel: true,
          uploaderType: "kopia",
          tags: { backup: "nightly" },
          uploaderSettings: { ParallelFilesUpload: "4" },
        },
        status: {
          phase: "Completed",
          acceptedTimestamp: "2026-01-01T00:00:00Z",
          startTimestamp: null,
          snapshotID: "9f",
          path: "/b7",
          incrementalBytes: 3,
          progress: { bytesDone: 5, totalBytes: 5 },
        },
      },
      { name: "settings that are null", spec: { ...backup, uploaderSettings: null } },
      {
        name: "restic, which makes no backups any more",
        spec: { ...backup, uploaderType: "restic" },
        problems: ["spec.uploaderType: "],
      },
      {
        name: "a backup without a node",
        spec: { ...backup, node: undefined },
        problems: ["spec.node: "],
      },
      {
        name: "a phase of no meaning",
        spec: backup,
        status: { phase: "Done" },
        problems: ["status.phase: "],
      },
    ],
  },
  {
    kind: "PodVolumeRestore",
    cases: [
      {
        name: "what the server writes",
        spec: { ...restore, uploaderSettings: { WriteSparseFiles: "false" } },
      },
      { name: "restic, for old backups", spec: { ...restore, uploaderType: "restic", snapshotSize: 12 } },
      {
        name: "a restore without a snapshot",
        spec: { ...restore, snapshotID: undefined },
        problems: ["spec.snapshotID: "],
      },
      {
        name: "a time that is none",
        spec: restore,
        status: { startTimestamp: "yesterday" },
        problems: ["status.startTimestamp: "],
      },
    ],
  },
  {
    kind: "BackupRepository",
    cases: [
      { name: "what the server writes", spec: { ...repository, repositoryType: "kopia" } },
      {
        name: "a repository that was maintained",
        spec: { ...repository, repositoryConfig: { cacheLimitMB: "2000" } },
        status: { phase: "Ready", recentMaintenance: [{ result: "Succeeded" }] },
      },
      {
        name: "a frequency that is no duration",
        spec: { ...repository, maintenanceFrequency: "hourly" },
        problems: ["spec.maintenanceFrequency: "],
      },
      {
        name: "another type of repository",
        spec: { ...repository, repositoryType: "borg" },
        problems: ["spec.repositoryType: "],
      },
    ],
  },
  {
    kind: "BackupStorageLocation",
    cases: [
      { name: "a bucket", spec: { provider: "aws", objectStorage: { bucket: "b" } } },
      {
        name: "a bucket with everything",
        spec: {
          provider: "velero.io/aws",
          objectStorage: {
            bucket: "b",
            prefix: "p",
            caCert: "YQ==",
            caCertRef: { name: "ca", key: "ca.crt" },
          },
          config: { region: "us-east-1", s3Url: "http://s3:9000", s3ForcePathStyle: "true" },
          credential: { name: "cloud", key: "cloud" },
          default: true,
          accessMode: "ReadWrite",
          backupSyncPeriod: null,
        },
        status: { phase: "Available" },
      },
      {
        name: "a location without a provider",
        spec: { objectStorage: { bucket: "b" } },
        problems: ["spec.provider: "],
      },
      {
        name: "an access mode of no meaning",
        spec: { provider: "aws", objectStorage: { bucket: "b" }, accessMode: "WriteOnly" },
        problems: ["spec.accessMode: "],
      },
    ],
  },
];
