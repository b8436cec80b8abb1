/* What the statuses of this API promise to those who read them. */

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

/** The fields that the API promises to its users, kind by kind, with values as they may be. */
export const PROMISED: Readonly<Record<string, object>> = {
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

/**
 * The promises that this status does not keep, of those that are for every object of its kind: `except` names the others, as
 * `path` or `conditions.Type`.
 */
export function brokenPromises(
  kind: string,
  status: object | undefined,
  except: readonly string[] = [],
): readonly string[] {
  const kept = new Set(pathsIn(status ?? {}));
  return pathsIn(PROMISED[kind] ?? {}).filter(
    (path) => !kept.has(path) && !except.some((one) => path === one || path.startsWith(`${one}.`)),
  );
}

/** What has a value, by its path. Of conditions it is the types that count, of other lists that they hold something. */
function pathsIn(value: unknown, path = ""): readonly string[] {
  if (Array.isArray(value)) {
    if (path.endsWith("conditions")) return value.map(({ type }) => `${path}.${type}`);
    return value.flatMap((one) => pathsIn(one, `${path}[]`));
  }
  if (typeof value !== "object" || value === null) return value === "" || value === undefined ? [] : [path];
  return Object.entries(value).flatMap(([key, one]) => pathsIn(one, path === "" ? key : `${path}.${key}`));
}
