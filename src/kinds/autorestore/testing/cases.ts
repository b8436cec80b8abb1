import type { KindCases } from "./case.ts";

const selectors = [{ labelSelector: { matchLabels: { "backup-enabled": "true" } } }];
const target = { name: "primary", repository: { name: "nas" } };
const config = { selectors, backupTargets: [target] };
const repository = {
  repository: "s3:s3.amazonaws.com/bucket/path",
  passwordSecretRef: { name: "restic", key: "password" },
};
const backup = { pvcRef: { name: "data" }, repositoryRef: { name: "nas" } };
const restore = { targetPVC: "data", backupName: "data-1" };

const withTarget = (more: object) => ({ ...config, backupTargets: [{ ...target, ...more }] });

/** Objects of every kind, good and bad. */
export const autorestoreCases: readonly KindCases[] = [
  {
    kind: "BackupConfig",
    cases: [
      {
        name: "the least, with defaults that can be seen",
        spec: config,
        stored: {
          autoRestore: false,
          selectors: [{ ...selectors[0], stopPods: true }],
          backupTargets: [{ ...target, priority: 0 }],
        },
      },
      {
        name: "a target with its own repository, schedules and retention",
        spec: withTarget({
          priority: 5,
          repository: { target: "b2:bucket:path", passwordSecretRef: { name: "restic", key: "password" } },
          schedule: "0 2 * * *",
          retentionSchedule: "0 4 * * *",
          retention: { keepLast: 3, keepWithin: "1y6m" },
        }),
      },
      {
        name: "every way to select",
        spec: {
          ...config,
          selectors: [
            { annotationSelector: { keep: "yes" } },
            { namespaces: ["media"], names: ["movies"], stopPods: false },
          ],
        },
      },
      {
        name: "no selectors",
        spec: { ...config, selectors: [] },
        problems: ["spec.selectors: Invalid value"],
      },
      {
        name: "a selector that selects nothing",
        spec: { ...config, selectors: [{ stopPods: true }] },
        problems: ["spec.selectors[0]: Invalid value"],
      },
      {
        name: "no targets",
        spec: { ...config, backupTargets: [] },
        problems: ["spec.backupTargets: Invalid value"],
      },
      {
        name: "two targets of one name",
        spec: { ...config, backupTargets: [target, target] },
        problems: ["spec.backupTargets[1]: Duplicate value"],
      },
      {
        name: "a repository by name and by URL",
        spec: withTarget({ repository: { name: "nas", repository: "b2:bucket:path" } }),
        problems: ["spec.backupTargets[0].repository: Invalid value"],
      },
      {
        name: "two schedules for backups",
        spec: withTarget({ schedule: "0 2 * * *", backupSchedule: "0 3 * * *" }),
        problems: ["spec.backupTargets[0]: Invalid value"],
      },
      {
        name: "a time to keep that is none",
        spec: withTarget({ retention: { keepWithin: "a while" } }),
        problems: ["spec.backupTargets[0].retention.keepWithin: Invalid value"],
      },
    ],
  },
  {
    kind: "ResticRepository",
    cases: [
      { name: "a URL and a password", spec: repository, stored: { privilegedMover: false } },
      {
        name: "the other name for the URL, a password from the environment, and schedules",
        spec: {
          target: "/backups",
          volume: { claimName: "nas" },
          env: [
            { name: "RESTIC_PASSWORD", valueFrom: { secretKeyRef: { name: "restic", key: "password" } } },
            { name: "AWS_DEFAULT_REGION", value: "eu-central-1" },
          ],
          maintenanceSchedule: { check: "0 4 * * *", verification: "0 5 * * 0" },
        },
        stored: { maintenanceSchedule: { verificationPercent: 5 } },
      },
      { name: "no URL", spec: {}, problems: ["spec: Invalid value"] },
      {
        name: "two URLs",
        spec: { ...repository, target: "/backups" },
        problems: ["spec: Invalid value"],
      },
      {
        name: "a variable with two values",
        spec: {
          ...repository,
          env: [{ name: "A", value: "a", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
        },
        problems: ["spec.env[0]: Invalid value"],
      },
    ],
  },
  {
    kind: "ResticBackup",
    cases: [
      { name: "the least", spec: backup, stored: { backupType: "manual" } },
      { name: "a name and tags", spec: { ...backup, backupName: "before", tags: ["upgrade"] } },
      { name: "no PVC", spec: { repositoryRef: { name: "nas" } }, problems: ["spec.pvcRef: Required value"] },
      {
        name: "another PVC later",
        old: backup,
        spec: { ...backup, pvcRef: { name: "other" } },
        problems: ["spec: Invalid value: pvcRef is immutable"],
      },
    ],
  },
  {
    kind: "ResticRestore",
    cases: [
      {
        name: "a ResticBackup",
        spec: restore,
        stored: { stopPods: true, onlyIfEmpty: false, continueWithoutSnapshot: false },
      },
      {
        name: "the latest snapshot of a target",
        spec: { targetPVC: "data", backupTarget: { repository: { name: "nas" } } },
      },
      {
        name: "files to leave out",
        spec: { ...restore, additionalRestoreArgs: ["--exclude=*.tmp"] },
      },
      {
        name: "arguments that are no patterns",
        spec: { ...restore, additionalRestoreArgs: ["--target=/etc"] },
        problems: ["spec.additionalRestoreArgs[0]: Invalid value"],
      },
      { name: "no source", spec: { targetPVC: "data" }, problems: ["spec: Invalid value"] },
      { name: "no PVC", spec: { backupName: "b" }, problems: ["spec.targetPVC: Required value"] },
      {
        name: "another PVC later",
        old: restore,
        spec: { ...restore, targetPVC: "other" },
        problems: ["spec: Invalid value: targetPVC is immutable"],
      },
    ],
  },
];
