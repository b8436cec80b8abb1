/** An object of a kind that is about to be written, and what becomes of it. */
export interface Case {
  /** Ends the sentence "… takes" or "… refuses". */
  readonly name: string;
  readonly kind: string;
  readonly spec: object;
  /** The stored spec that it replaces. */
  readonly old?: object;
  /** The beginning of each problem, as `field: message`. Default: none, it is taken. */
  readonly problems?: readonly string[];
  /** What of the spec is stored. Default: not looked at. */
  readonly stored?: object;
}

const applicationRef = { kind: "Postgres", name: "db" };
const plan = { applicationRef, backupClassName: "standard", schedule: { cron: "H 2 * * *" } };
const job = { applicationRef, backupClassName: "standard" };
const strategyRef = { apiGroup: "strategy.backups.cozystack.io", kind: "Volume", name: "volumes" };
const backup = { applicationRef, strategyRef, takenAt: "2026-05-24T17:00:01Z" };
const template = {
  spec: { containers: [{ name: "dump", image: "dump", args: ["{{ .Parameters.bucket }}"] }] },
};

/** Good and bad objects of every kind. */
export const cozystackCases: readonly Case[] = [
  {
    kind: "Plan",
    name: "the least, with defaults that can be seen",
    spec: plan,
    stored: {
      schedule: { type: "cron", timezone: "UTC" },
      suspend: false,
      concurrencyPolicy: "Forbid",
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
    },
  },
  {
    kind: "Plan",
    name: "a group that is null, as programs in Go write an absent one",
    spec: { ...plan, applicationRef: { ...applicationRef, apiGroup: null } },
  },
  {
    kind: "Backup",
    name: "the same of its application and its strategy",
    spec: {
      ...backup,
      applicationRef: { ...applicationRef, apiGroup: null },
      strategyRef: { ...strategyRef, apiGroup: null },
    },
  },
  {
    kind: "Plan",
    name: "an empty type, as the document allows",
    spec: { ...plan, schedule: { type: "", cron: "0 2 * * *" } },
  },
  {
    kind: "Plan",
    name: "an edit of everything",
    old: plan,
    spec: { ...plan, backupClassName: "other", applicationRef: { ...applicationRef, apiGroup: "apps" } },
  },
  { kind: "Plan", name: "retention", spec: { ...plan, retention: { keepDaily: 7 } } },
  {
    kind: "Plan",
    name: "no time",
    spec: { ...plan, schedule: {} },
    problems: ["spec.schedule.cron: Required value"],
  },
  {
    kind: "Plan",
    name: "another type of schedule",
    spec: { ...plan, schedule: { type: "interval", cron: "0 2 * * *" } },
    problems: ['spec.schedule.type: Unsupported value: "interval"'],
  },
  {
    kind: "Plan",
    name: "retention that keeps nothing",
    spec: { ...plan, retention: { keepDaily: 0 } },
    problems: ["spec.retention: Invalid value"],
  },
  {
    kind: "Plan",
    name: "no application",
    spec: { backupClassName: "standard", schedule: plan.schedule },
    problems: ["spec.applicationRef: Required value"],
  },
  {
    kind: "BackupClass",
    name: "a strategy with parameters",
    spec: {
      strategies: [
        {
          strategyRef,
          application: { kind: "Postgres" },
          parameters: { backupStorageLocationName: "default" },
        },
      ],
    },
  },
  {
    kind: "BackupClass",
    name: "no strategy",
    spec: { strategies: [] },
    problems: ["spec.strategies: Invalid value"],
  },
  {
    kind: "BackupClass",
    name: "a strategy for nothing",
    spec: { strategies: [{ strategyRef }] },
    problems: ["spec.strategies[0].application: Required value"],
  },
  { kind: "BackupJob", name: "a job by hand", spec: job },
  { kind: "BackupJob", name: "the same again", spec: job, old: job },
  {
    kind: "BackupJob",
    name: "another application, once it is there",
    spec: { ...job, applicationRef: { ...applicationRef, name: "other" } },
    old: job,
    problems: ["spec: Invalid value"],
  },
  {
    kind: "BackupJob",
    name: "no class",
    spec: { applicationRef },
    problems: ["spec.backupClassName: Required value"],
  },
  {
    kind: "Backup",
    name: "what a driver writes",
    spec: {
      ...backup,
      planRef: { name: "nightly" },
      driverMetadata: { backupStorageLocationName: "default" },
    },
  },
  {
    kind: "Backup",
    name: "more metadata later",
    spec: { ...backup, driverMetadata: { a: "b" } },
    old: backup,
  },
  {
    kind: "Backup",
    name: "other metadata",
    spec: { ...backup, driverMetadata: { a: "c" } },
    old: { ...backup, driverMetadata: { a: "b" } },
    problems: ["spec: Invalid value"],
  },
  {
    kind: "Backup",
    name: "that it loses its metadata and its Plan",
    spec: backup,
    old: { ...backup, driverMetadata: { a: "b" }, planRef: { name: "nightly" } },
    problems: ["spec: Invalid value", "spec: Invalid value"],
  },
  {
    kind: "Backup",
    name: "another moment",
    spec: { ...backup, takenAt: "2026-05-25T17:00:01Z" },
    old: backup,
    problems: ["spec: Invalid value"],
  },
  {
    kind: "Backup",
    name: "a moment in words",
    spec: { ...backup, takenAt: "yesterday" },
    problems: ["spec.takenAt: Invalid value"],
  },
  { kind: "RestoreJob", name: "the least", spec: { backupRef: { name: "b" } } },
  {
    kind: "RestoreJob",
    name: "another target",
    spec: { backupRef: { name: "b" }, targetApplicationRef: applicationRef },
  },
  {
    kind: "RestoreJob",
    name: "another namespace",
    spec: { backupRef: { name: "b" }, targetNamespace: "elsewhere" },
  },
  {
    kind: "RestoreJob",
    name: "a namespace that no cluster has",
    spec: { backupRef: { name: "b" }, targetNamespace: "Else/where" },
    problems: ["spec.targetNamespace: Invalid value"],
  },
  {
    kind: "RestoreJob",
    name: "a change of the target",
    spec: { backupRef: { name: "b" }, targetApplicationRef: applicationRef },
    old: { backupRef: { name: "b" } },
    problems: ["spec: Invalid value"],
  },
  {
    kind: "RestoreJob",
    name: "no Backup",
    spec: {},
    problems: ["spec.backupRef: Required value"],
  },
  {
    kind: "Volume",
    name: "a repository, with defaults that can be seen",
    spec: { repository: { name: "offsite" } },
    stored: {
      repository: { kind: "ClusterRepository", name: "offsite" },
      copyMethod: "Snapshot",
      groupBy: "VolumeGroupSnapshot",
      deletionPolicy: "Delete",
      restore: { scaleDownWorkloads: true, deleteOtherFiles: true },
    },
  },
  {
    kind: "Volume",
    name: "another way to copy",
    spec: { repository: { name: "offsite" }, copyMethod: "Rsync" },
    problems: ['spec.copyMethod: Unsupported value: "Rsync"'],
  },
  { kind: "Job", name: "a pod", spec: { template }, stored: { template, timeout: "2h" } },
  {
    kind: "Job",
    name: "no pod",
    spec: {},
    problems: ["spec.template: Required value"],
  },
  { kind: "JobBackupStrategy", name: "a pod", spec: { template } },
  {
    kind: "JobBackupStrategy",
    name: "a time in words",
    spec: { template, timeout: "soon" },
    problems: ["spec.timeout: Invalid value"],
  },
  {
    kind: "Velero",
    name: "the spec of a Backup",
    spec: { backupTemplate: { spec: { storageLocation: "{{ .Parameters.backupStorageLocationName }}" } } },
    stored: { namespace: "velero" },
  },
  {
    kind: "Velero",
    name: "no template",
    spec: {},
    problems: ["spec.backupTemplate: Required value"],
  },
];
