import { CONSENT_ANNOTATION } from "../../../../kinds/kopiur/annotations.ts";
import { SNAPSHOT_CLEANUP } from "../../../../kinds/kopiur/finalizers.ts";
import { LABELS } from "../../../../kinds/kopiur/labels.ts";
import type { AdmissionCase } from "./admission_case.ts";
import { backup, claim, clusterRepository, config, HOUSEHOLD, repository } from "./manifests.ts";

const SHARED = { repository: { kind: "ClusterRepository", name: "commons" } };
const elsewhere = config({ namespace: "tenant-b", spec: SHARED });

export const backupCases: readonly AdmissionCase[] = [
  {
    name: "one by hand, and fills in what its BackupConfig says",
    given: [...HOUSEHOLD, config({ spec: { defaultDeletionPolicy: "Retain" } })],
    object: backup(),
    stored: {
      metadata: {
        finalizers: [SNAPSHOT_CLEANUP],
        labels: { [LABELS.origin]: "manual", [LABELS.backupConfig]: "data" },
      },
      spec: { deletionPolicy: "Retain" },
    },
  },
  {
    name: "one that passes itself off as a schedule's, as what it is",
    given: [...HOUSEHOLD, config()],
    object: backup({ labels: { [LABELS.backupSchedule]: "nightly", [LABELS.origin]: "scheduled" } }),
    stored: { metadata: { labels: { [LABELS.origin]: "manual" } }, spec: { deletionPolicy: "Delete" } },
  },
  {
    name: "one of a schedule",
    given: [...HOUSEHOLD, config()],
    object: backup({ labels: { [LABELS.backupSchedule]: "nightly" } }),
    author: "operator",
    stored: { metadata: { labels: { [LABELS.backupSchedule]: "nightly", [LABELS.origin]: "scheduled" } } },
  },
  {
    name: "a policy of its own",
    given: [...HOUSEHOLD, config()],
    object: backup({ spec: { deletionPolicy: "Orphan" } }),
    stored: { spec: { deletionPolicy: "Orphan" } },
  },
  {
    name: "a BackupConfig that is not there yet, with a warning",
    object: backup(),
    warnings: ["spec.configRef: BackupConfig tenant-a/data does not exist yet, and is waited for"],
  },
  {
    name: "one into a read-only repository",
    given: [repository({ spec: { access: { readOnly: true } } }), claim(), config()],
    object: backup(),
    refused:
      "spec.configRef: Repository tenant-a/nas takes no backups: it is read-only (access.readOnly). Set access.readOnly to false to write to it from here, or use another repository.",
  },
  {
    name: "an edit of one whose repository became read-only, with a warning",
    given: [...HOUSEHOLD, config()],
    object: backup(),
    meanwhile: [repository({ spec: { access: { readOnly: true } } })],
    change: { annotations: { note: "kept" } },
    warnings: ["spec.configRef: Repository tenant-a/nas takes no backups: it is read-only (access.readOnly)"],
  },
  {
    name: "one without a BackupConfig",
    object: { kind: "Backup", namespace: "tenant-a", name: "found", spec: {} },
    author: "reader",
    refused:
      "spec.configRef: a Backup needs a configRef: one without stands for a snapshot that was found in a repository, and only the operator finds those. Name the BackupConfig to run.",
  },
  {
    name: "one that the operator found, and keeps its snapshot",
    object: { kind: "Backup", namespace: "tenant-a", name: "found", spec: {} },
    author: "operator",
    stored: {
      metadata: { labels: { [LABELS.origin]: "discovered" } },
      spec: { deletionPolicy: "Retain" },
    },
  },
  {
    name: "a BackupConfig of a namespace that does not consent",
    given: [
      repository({ namespace: "tenant-b" }),
      claim("data", "tenant-b"),
      config({ namespace: "tenant-b" }),
    ],
    object: backup({ spec: { configRef: { name: "data", namespace: "tenant-b" } } }),
    refused:
      "spec.configRef: BackupConfig tenant-b/data cannot be used from namespace tenant-a: namespace tenant-a is not listed there, and whoever wrote the reference may not get it. Have tenant-a added to the BackupConfig's allowedNamespaces, or have someone write this who may get it.",
  },
  {
    name: "a BackupConfig of a namespace that consents",
    given: [
      repository({ namespace: "tenant-b" }),
      claim("data", "tenant-b"),
      config({ namespace: "tenant-b", spec: { allowedNamespaces: { list: ["tenant-a"] } } }),
    ],
    object: backup({ spec: { configRef: { name: "data", namespace: "tenant-b" } } }),
  },
  {
    name: "a BackupConfig of another namespace that its author may read, and writes that down",
    given: [
      repository({ namespace: "tenant-b" }),
      claim("data", "tenant-b"),
      config({ namespace: "tenant-b" }),
    ],
    object: backup({ spec: { configRef: { name: "data", namespace: "tenant-b" } } }),
    author: "reader",
    stored: { metadata: { annotations: { [CONSENT_ANNOTATION]: "BackupConfig/tenant-b/data" } } },
  },
  {
    name: "a ClusterRepository behind its BackupConfig that is not for its namespace",
    given: [
      clusterRepository({ spec: { allowedNamespaces: { list: ["tenant-b"] } } }),
      claim("data", "tenant-b"),
      elsewhere,
    ],
    object: backup({ spec: { configRef: { name: "data", namespace: "tenant-b" } } }),
    author: "reader",
    refused:
      "spec.configRef: ClusterRepository commons cannot be used from namespace tenant-a: its allowedNamespaces do not include that namespace. Have tenant-a added to its allowedNamespaces, or use another repository.",
  },
  {
    name: "a compressor that its engine does not have",
    given: [repository({ spec: { engine: "restic" } }), claim(), config()],
    object: backup({ spec: { parameters: { compressionOverride: "zstd" } } }),
    refused:
      "spec.parameters.compressionOverride: restic cannot compress with zstd: it has no such compressor. Choose one of none, auto, max.",
  },
  {
    name: "a BackupConfig that cannot be run, with a warning",
    given: [...HOUSEHOLD, config({ status: { phase: "Failed" } })],
    object: backup(),
    warnings: ["spec.configRef: BackupConfig tenant-a/data cannot be run now: its status says why"],
  },
];
