import type {
  ConsoleView,
  Day,
  ObjectDetail,
  ProtectChoice,
  RepositoryDetail,
  RetentionPreview,
  Rights,
  ScheduleRow,
  Session,
  SnapshotPage,
  SnapshotRow,
  VolumeDetail,
} from "../../../src/cli/console/contract.ts";
import type { Finding } from "../../../src/cli/doctor/finding.ts";
import type { VolumeView } from "../../../src/core/view/view.ts";

/*
 * A made-up cluster for looking at the page without one: every state that a screen can show occurs in it.
 */

const NOW = Date.now();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const GIB = 1024 ** 3;
const at = (ago: number) => new Date(NOW - ago).toISOString();
const APPS = ["documents", "photos", "mail", "database", "music", "wiki", "forge", "recipes", "ledger"];
const NAMESPACES = ["home", "media", "office", "shop"];

export const session: Session = {
  user: "kim@example.com",
  signIn: ["loopback", "token"],
  csrf: "fixture",
  server: "https://127.0.0.1:6443",
  version: "0.1.0",
  namespace: "home",
  namespaces: NAMESPACES,
  apis: [
    {
      api: "kopiur",
      kinds: [
        { word: "backup", kind: "Backup", resource: "backups.kopiur.home-operations.com" },
        { word: "config", kind: "BackupConfig", resource: "backupconfigs.kopiur.home-operations.com" },
        { word: "schedule", kind: "BackupSchedule", resource: "backupschedules.kopiur.home-operations.com" },
        { word: "restore", kind: "Restore", resource: "restores.kopiur.home-operations.com" },
        { word: "repository", kind: "Repository", resource: "repositories.kopiur.home-operations.com" },
        { word: "maintenance", kind: "Maintenance", resource: "maintenances.kopiur.home-operations.com" },
      ],
    },
    { api: "velero", kinds: [{ word: "velerobackup", kind: "Backup", resource: "backups.velero.io" }] },
  ],
};

const repositoryRef = { kind: "Repository", namespace: "home", name: "nas" } as const;
const offsite = { kind: "Repository", namespace: "office", name: "offsite" } as const;

function volumeOf(index: number): VolumeView {
  const namespace = NAMESPACES[index % NAMESPACES.length] ?? "home";
  const app = APPS[index % APPS.length] ?? "app";
  const name = index < APPS.length ? app : `${app}-${index}`;
  const config = { kind: "BackupConfig", namespace, name, api: index % 7 === 3 ? "velero" : "kopiur" };
  const lastGood = {
    object: { kind: "Backup", namespace, name: `${name}-20261118` },
    claim: `${namespace}/${name}`,
    at: at(((index * 37) % 200) * MINUTE + 5 * MINUTE),
    bytes: (index + 1) * 0.7 * GIB,
  };
  const usual = { namespace, name, by: [config], wrong: [], nextRun: at(-(index % 20) * 13 * MINUTE) };
  if (index === 5) return { namespace, name, by: [], wrong: [], protection: "no", coverage: "unprotected" };
  if (index === 8)
    return {
      ...usual,
      protection: "not yet",
      coverage: "unprotected",
      wrong: ["The first backup waits for a slot."],
    };
  if (index === 11)
    return { ...usual, protection: "by hand", coverage: "by_hand", lastGood, nextRun: undefined };
  if (index === 14)
    return {
      namespace,
      name,
      by: [],
      wrong: [],
      protection: "exempt",
      coverage: "exempt",
      exempt: "It is a cache.",
    };
  if (index === 17) return { namespace, name, by: [], wrong: [], protection: "store" };
  if (index === 20)
    return {
      ...usual,
      protection: "yes",
      coverage: "protected",
      lastGood: { ...lastGood, at: at(3 * DAY) },
      wrong: ["The last three backups failed: Repository office/offsite does not answer."],
    };
  return { ...usual, protection: "yes", coverage: "protected", lastGood };
}

function daysOf(count: number, volumes: number): readonly Day[] {
  return Array.from({ length: count }, (_, index) => {
    const ago = count - 1 - index;
    const failed = ago === 3 ? 2 : ago === 17 ? 5 : 0;
    const incomplete = ago === 9 ? 1 : 0;
    const day = at(ago * DAY).slice(0, 10);
    const bytes = volumes * GIB * (1 + index / count);
    return { day, good: ago % 31 === 30 ? 0 : volumes - failed, incomplete, failed, bytes };
  });
}

export function viewOf(count: number): ConsoleView {
  return {
    now: at(0),
    volumes: Array.from({ length: count }, (_, index) => volumeOf(index)),
    repositories: [
      {
        object: repositoryRef,
        phase: "Ready",
        engine: "kopia",
        snapshots: 1204,
        storedBytes: 81 * GIB,
        lastContact: at(2 * MINUTE),
        id: "9f3c2d",
      },
      {
        object: offsite,
        phase: "Failed",
        engine: "restic",
        snapshots: 311,
        storedBytes: 40 * GIB,
        lastContact: at(DAY),
      },
    ],
    activity: [
      {
        object: { kind: "Backup", namespace: "home", name: "photos-now" },
        phase: "Running",
        since: at(6 * MINUTE),
        progress: { percent: 42, files: 18_230, bytes: 3.1 * GIB },
      },
      {
        object: { kind: "Backup", namespace: "media", name: "music-20261118" },
        phase: "Queued",
        why: "Queued: 3 running, 2 waiting (spec.concurrency.maxRuns)",
        since: at(2 * MINUTE),
      },
      {
        object: { kind: "Restore", namespace: "home", name: "mail-back" },
        phase: "Running",
        since: at(MINUTE),
        progress: {},
      },
    ],
    problems: [
      {
        object: offsite,
        why: "The repository does not answer: connection timed out after 30 s",
        remedy:
          "Check that s3.example.com is reachable from the cluster, then: holdfast retry repository/offsite -n office",
      },
    ],
    lost: ["shop/orders", "shop/invoices", "shop/broken", "archive/papers"].map((claim, index) => {
      const [namespace = "", name = ""] = claim.split("/");
      return {
        claim,
        lastGood: {
          object: { kind: "Backup", namespace, name: `${name}-20261116` },
          claim,
          at: at((index + 2) * DAY),
          bytes: index === 3 ? undefined : (12 - index * 3) * GIB,
        },
        restore: `holdfast restore config/${name} --to ${name} -n ${namespace}`,
      };
    }),
    next: APPS.slice(0, 6).map((name, index) => ({
      object: { kind: "BackupSchedule", namespace: "home", name },
      at: at(-(index + 1) * 17 * MINUTE),
    })),
    days: daysOf(30, Math.min(count, 40)),
    failures: [
      {
        object: { kind: "Backup", namespace: "office", name: "forge-20261118" },
        at: at(5 * HOUR),
        message: "The repository does not answer: connection timed out after 30 s",
        remedy: "Check that s3.example.com is reachable from the cluster.",
      },
      {
        object: { kind: "Maintenance", namespace: "home", name: "nas" },
        at: at(26 * HOUR),
        message: "Another process holds the lock since 02:00",
        remedy: "Wait for it, or unlock the repository.",
      },
    ],
  };
}

export function snapshotAt(index: number): SnapshotRow {
  const volume = volumeOf(index % 4);
  const name = `${volume.name}-${50_000 - index}`;
  return {
    object: { kind: "Backup", namespace: volume.namespace, name },
    claim: `${volume.namespace}/${volume.name}`,
    at: at(index * 11 * MINUTE),
    bytes: (1 + (index % 9)) * 0.8 * GIB,
    api: index % 7 === 3 ? "velero" : "kopiur",
    origin: index % 13 === 0 ? "manual" : index % 17 === 0 ? "discovered" : "scheduled",
    held: index % 19 === 0,
    incomplete: index % 23 === 5 ? "2 files could not be read" : undefined,
    repository: repositoryRef,
    files: { namespace: volume.namespace, backup: name, pvc: volume.name },
  };
}

export function snapshotPage(total: number, offset: number, limit: number): SnapshotPage {
  const length = Math.max(0, Math.min(limit, total - offset));
  return { total, offset, items: Array.from({ length }, (_, index) => snapshotAt(offset + index)) };
}

const events = [
  {
    at: at(3 * HOUR),
    type: "Normal",
    reason: "BackupSucceeded",
    message: "Backup documents-20261118 stored 1.2 GiB",
    count: 1,
    object: { kind: "Backup", namespace: "home", name: "documents-20261118" },
  },
  {
    at: at(DAY),
    type: "Warning",
    reason: "RepositoryUnreachable",
    message: "The repository does not answer: connection timed out after 30 s",
    count: 12,
    object: repositoryRef,
  },
];

const conditions = [
  {
    type: "Ready",
    status: "True",
    reason: "Ready",
    message: "The repository answers",
    since: at(9 * DAY),
  },
];

export function volumeDetail(namespace: string, name: string, count: number): VolumeDetail | undefined {
  const volume = viewOf(count).volumes.find((one) => one.namespace === namespace && one.name === name);
  if (!volume) return undefined;
  const snapshots = Array.from({ length: 40 }, (_, index) => snapshotAt(index * 4));
  return {
    volume,
    size: "20Gi",
    storageClass: "local-path",
    phase: "Bound",
    usedBy: [{ pod: `${name}-7d9f`, owner: `Deployment ${name}` }],
    plan: volume.by.map((object) => ({
      object,
      says: [
        "Backs up at 17 minutes past every third hour.",
        "Copies the volume with a CSI snapshot first, so that files are of one moment.",
        "Stores it in Repository home/nas.",
        "Keeps 24 hourly, 7 daily, 4 weekly and 6 monthly Backups.",
      ],
    })),
    proof: { at: at(6 * DAY), what: "Restored into a new PVC and compared with its snapshot", good: true },
    days: daysOf(365, 3),
    snapshots: volume.protection === "no" ? [] : snapshots,
    events,
  };
}

export const schedules: readonly ScheduleRow[] = APPS.slice(0, 5).map((name, index) => ({
  object: { kind: "BackupSchedule", namespace: "home", name, api: "kopiur" },
  cron: "17 */3 * * *",
  suspended: index === 2,
  lastGoodRun: at((index + 1) * HOUR),
  next:
    index === 2
      ? []
      : Array.from({ length: 10 }, (_, run) => at(-(run * 3 * HOUR + index * 9 * MINUTE + MINUTE))),
  runs: { kind: "BackupConfig", namespace: "home", name },
  values: [
    { what: "Time zone", value: "Europe/Vienna", from: "BackupSchedule" },
    { what: "Jitter", value: "10m", from: "the operator's settings" },
    { what: "Keeps", value: "24 hourly, 7 daily, 4 weekly", from: "Repository home/nas" },
  ],
}));

export const retention: RetentionPreview = {
  rules: ["The newest 24 of an hour each", "The newest 7 of a day each"],
  kept: Array.from({ length: 12 }, (_, index) => ({
    backup: `documents-${100 - index}`,
    at: at(index * 3 * HOUR),
    because: index < 7 ? ["hourly", "daily"] : ["hourly"],
  })),
  deleted: [{ backup: "documents-12", at: at(40 * DAY) }],
};

export function repositoryDetail(name: string): RepositoryDetail | undefined {
  const repository = viewOf(1).repositories.find(({ object }) => object.name === name);
  if (!repository) return undefined;
  return {
    repository,
    conditions,
    says: [
      "Stored in the bucket backups of s3.example.com.",
      "The engine is kopia, with deduplication over all volumes.",
      "The last maintenance ended 5 h ago. The next one is in 19 h.",
      "Two of three slots are in use.",
      "The breaker is closed: the repository answers.",
    ],
    usedBy: APPS.slice(0, 4).map((name) => ({ kind: "BackupConfig", namespace: "home", name })),
    volumes: ["home/documents", "home/music"],
    sizes: Array.from({ length: 90 }, (_, index) => ({
      day: at((89 - index) * DAY).slice(0, 10),
      logical: (60 + index * 0.6) * GIB,
      added: (0.4 + (index % 7) * 0.1) * GIB,
    })),
    events,
  };
}

export const doctor: readonly Finding[] = [
  { level: "ok", what: "The operator runs, and holds its lease" },
  { level: "ok", what: "All CRDs are as this version needs them" },
  {
    level: "warning",
    what: "StorageClass local-path takes no snapshots",
    why: "Backups of its volumes read files while they change.",
    fix: "Stop the workload with a hook, or use a StorageClass with a VolumeSnapshotClass.",
  },
  {
    level: "error",
    what: "The webhook server is unhealthy",
    why: "Its certificate ended 2 h ago.",
    fix: "Delete the Secret holdfast-webhooks in holdfast-system. The operator makes a new one.",
  },
];

const MAY = { allowed: true } as const;
const MAY_NOT_DELETE = {
  allowed: false,
  why: "you may not delete backups.kopiur.home-operations.com in namespace home",
} as const;

export const rights: Rights = {
  ...{ backup: MAY, restore: MAY, drill: MAY, hold: MAY, suspend: MAY, maintain: MAY, files: MAY },
  ...{ "cancel Backup": MAY, "cancel Restore": MAY, "cancel Maintenance": MAY },
  ...{ "retry Backup": MAY, "retry Restore": MAY, "retry Maintenance": MAY },
  ...{ "retry Repository": MAY, "retry ClusterRepository": MAY },
  ...{ "delete Backup": MAY_NOT_DELETE, "delete Restore": MAY },
};

export const protectChoices: readonly ProtectChoice[] = [
  {
    api: "kopiur",
    title: "BackupConfig and BackupSchedule",
    says: ["Backs up to a Repository of the namespace, on a schedule of its own."],
    options: [
      { name: "repository", title: "Repository", values: ["nas", "offsite"], value: "nas" },
      { name: "cron", title: "Schedule", value: "H */6 * * *" },
    ],
  },
  {
    api: "plumber",
    title: "A label on the PersistentVolumeClaim",
    says: ["The operator makes the objects by itself."],
    options: [],
  },
  {
    api: "velero",
    title: "Velero Schedule",
    says: ["Backs up the whole namespace."],
    missing: "There is no BackupStorageLocation in velero.",
    options: [],
  },
];

export function objectDetail(resource: string, namespace: string | undefined, name: string): ObjectDetail {
  const kind = session.apis?.flatMap(({ kinds }) => kinds).find((one) => one.resource === resource)?.kind;
  return {
    object: { kind: kind ?? "PersistentVolumeClaim", namespace, name },
    yaml: `apiVersion: kopiur.home-operations.com/v1alpha1\nkind: ${kind ?? "PersistentVolumeClaim"}\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\nspec:\n  configRef:\n    name: documents\n`,
    explained: [
      "It succeeded 3 h ago and holds all of the volume.",
      "Its snapshot is kept until 2026-12-18.",
    ],
    conditions,
    events,
    log: "03:00:01 snapshot began\n03:00:09 1204 files, 1.2 GiB\n03:00:10 done\n",
  };
}
