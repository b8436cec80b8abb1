import { expect, test } from "vitest";
import { admit } from "../../kube/schema/admit.ts";
import { problemText } from "../../kube/schema/problem.ts";
import { KINDS } from "./kinds.ts";

const at = "2026-05-24T02:13:00Z";
const condition = (type: string) => ({
  type,
  status: "True",
  reason: "AllGood",
  message: "",
  lastTransitionTime: at,
});
const repository = { kind: "Repository", name: "nas-primary", namespace: "backups" };
const identity = { username: "postgres-data", hostname: "billing", sourcePath: "/data" };
const sources = [{ pvc: "billing/postgres-data", sourcePath: "/data" }];
const snapshot = { kopiaSnapshotID: "k1f1ec0a8", identity };
const backupRef = { name: "postgres-data-20260524-021300" };
const turn = {
  lastRunAt: at,
  nextScheduledAt: at,
  consecutiveFailures: 0,
  lastContentReclaimedBytes: 89456789012,
};

/** The fields that the API promises to its users, kind by kind. */
const PROMISED: Readonly<Record<string, object>> = {
  Repository: {
    phase: "Ready",
    observedGeneration: 7,
    uniqueID: "fb6ec41a",
    conditions: [condition("Connected"), condition("MaintenanceOwned")],
    storageStats: { snapshotCount: 1284, totalSize: "412Gi", lastObservedAt: at },
    catalog: { discoveredBackupCount: 412, lastRefreshAt: at },
  },
  ClusterRepository: {
    phase: "Ready",
    uniqueID: "0a918a3f",
    allowedNamespaceCount: 3,
    conditions: [condition("TenancyEnforced")],
  },
  BackupConfig: {
    resolved: { identity: { username: "postgres-data", hostname: "billing", sources } },
    retention: { activeBackupCount: 47, lastPruneAt: at, lastPruneDeleted: 2 },
    conditions: [condition("RepositoryReachable"), condition("GroupSnapshotSupported")],
  },
  Backup: {
    phase: "Succeeded",
    origin: "scheduled",
    snapshot,
    snapshots: [snapshot],
    timing: { startTime: at, endTime: at, durationSeconds: 342 },
    stats: {
      sizeBytes: 4321098765,
      bytesNew: 12345678,
      filesNew: 1233,
      filesModified: 22,
      filesUnchanged: 998111,
    },
    job: { name: "backup-postgres-data-20260524-021300", attempts: 1 },
    resolved: { repository, sources },
    conditions: [condition("SourcesQuiesced"), condition("SnapshotCreated")],
    logTail: "Snapshot created: k1f1ec0a8\nTotal bytes: 4321098765\n",
    orphaned: false,
    failure: { errorClass: "Unreachable", message: "no answer", retry: "transient", stderrTail: "dial tcp" },
  },
  BackupSchedule: {
    lastSchedule: { scheduledAt: at, backupRef },
    nextSchedule: { at },
    lastSuccessfulSchedule: { at, backupRef },
    consecutiveFailures: 0,
    conditions: [condition("ConfigResolvable")],
  },
  Restore: {
    phase: "Restoring",
    resolved: { backupRef: { ...backupRef, namespace: "billing" }, repository, pinnedAt: at, identity },
    target: { pvcPrime: "pvc-prime-9f8e2c1b", pvcRef: { name: "postgres-data-restored" } },
    timing: { startTime: at },
    progress: { bytesRestored: 8123456789, filesRestored: 998111 },
  },
  Maintenance: {
    ownership: { owner: "kopiur/nas-primary", claimedAt: at },
    quick: turn,
    full: turn,
    conditions: [condition("OwnershipClaimed")],
  },
};

test.each(KINDS)("the status of a $resource.kind holds what the API promises", ({ resource, schema }) => {
  const status = PROMISED[resource.kind];
  const onlyStatus = { type: "object", properties: { status: schema.properties?.status ?? {} } } as const;
  const { object, problems, unknown } = admit(onlyStatus, { status });
  expect(problems.map(problemText)).toEqual([]);
  expect(unknown).toEqual([]);
  expect(object).toEqual({ status });
});

test.each(KINDS)(
  "the status of a $resource.kind has no defaults: only what is known is said",
  ({ schema }) => {
    expect(JSON.stringify(schema.properties?.status)).not.toContain('"default"');
  },
);
