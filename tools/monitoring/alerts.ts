import { AUTORESTORE_ALERTS } from "./autorestore_alerts.ts";
import { COZYSTACK_ALERTS } from "./cozystack_alerts.ts";
import { PLUMBER_ALERTS } from "./plumber_alerts.ts";
import { VELERO_ALERTS } from "./velero_alerts.ts";

/** An alert of the operator's metrics. Its runbook is docs/runbooks/<name>.md. */
export interface Alert {
  readonly name: string;
  /** PromQL. Replicas tell the same: every expression takes their series together. */
  readonly expr: string;
  /** How long it has to hold before anybody is told, as Prometheus writes durations. */
  readonly for: string;
  /** `critical`: data is not protected, not to be had, or in doubt. `warning`: it will be, if nobody looks. */
  readonly severity: "critical" | "warning";
  /** One line, with the object's name, in Prometheus' templates. */
  readonly summary: string;
  /** What follows from it and what to look at first, in Prometheus' templates. */
  readonly description: string;
  /** When it fires, for the page of alerts. */
  readonly when: string;
  /** The value of the chart, below `metrics.prometheusRule`, that switches it on. Default: it is always on. */
  readonly optional?: string;
}

const CONFIG = "{{ $labels.namespace }}/{{ $labels.name }}";
const REPOSITORY = "{{ $labels.kind }} {{ with $labels.namespace }}{{ . }}/{{ end }}{{ $labels.name }}";
const MAINTENANCE = CONFIG;

/** A day: nothing that is due less often may be late for longer. */
const DAY = 86_400;

const DELETING = 'kopiur_resource_phase{kind="Backup", phase="Deleting"}';

/** Why pruning is paused where another alert is about the cause. */
const TOLD_BY_OTHERS = "ConfigNotReady|CatalogShrunk";

/** How long a reconcile has run. */
const RUNNING = "holdfast_queue_longest_running_seconds";
/** To list a large repository may take half an hour. */
const [CATALOGUE, OTHERS] = ['{queue="kopiur-catalog"}', '{queue!="kopiur-catalog"}'];

export const ALERTS: readonly Alert[] = [
  {
    name: "HoldfastBackupStale",
    severity: "critical",
    for: "1h",
    expr: `(
  time() - max by (namespace, name) (kopiur_backup_due_timestamp_seconds)
    > clamp_max(max by (namespace, name) (kopiur_backup_interval_seconds), ${DAY})
)
and on (namespace, name) kopiur_backup_last_success_timestamp_seconds`,
    summary: `The newest backup of ${CONFIG} is too old`,
    description: `BackupConfig ${CONFIG} should have succeeded {{ $value | humanizeDuration }} ago by its schedule. Changes since then are not in any backup. Begin with: holdfast explain config/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "A run was due and has not succeeded, and since then the next one was due as well, or a day has passed.",
  },
  {
    name: "HoldfastBackupNeverRan",
    severity: "warning",
    for: "2h",
    expr: `(time() - max by (namespace, name) (kopiur_backup_due_timestamp_seconds) > 0)
unless on (namespace, name) kopiur_backup_last_success_timestamp_seconds`,
    summary: `${CONFIG} has a schedule and no backup`,
    description: `The first run of BackupConfig ${CONFIG} was due {{ $value | humanizeDuration }} ago, and no Backup of it has ever succeeded, or the BackupConfig does not exist. Its volumes are not protected. Begin with: holdfast explain config/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "The first run of a schedule was due, and no Backup of its BackupConfig has ever succeeded, or the BackupConfig does not exist.",
  },
  {
    name: "HoldfastBackupFailing",
    severity: "warning",
    for: "15m",
    expr: "max by (namespace, name) (kopiur_backup_consecutive_failures) > 0",
    summary: `Backups of ${CONFIG} fail`,
    description: `{{ $value }} Backups of BackupConfig ${CONFIG} have failed since one succeeded. Begin with: holdfast list backups -n {{ $labels.namespace }}`,
    when: "Since the last success, Backups of a BackupConfig have failed, each after all its retries.",
  },
  {
    name: "HoldfastBackupIncomplete",
    severity: "critical",
    for: "15m",
    expr: "max by (namespace, name) (kopiur_backup_incomplete_volumes) > 0",
    summary: `The newest backup of ${CONFIG} does not hold everything`,
    description: `The newest Backup of BackupConfig ${CONFIG} left files out that its mover could not read, in {{ $value }} volumes. These files are in no new backup. Retention keeps the last Backup that is whole. Its condition Incomplete names the files. Begin with: holdfast list backups --config {{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "The newest Backup of a BackupConfig succeeded without files that its mover could not read.",
  },
  {
    name: "HoldfastBackupConfigBroken",
    severity: "warning",
    for: "15m",
    expr: `max by (kind, namespace, name) (kopiur_resource_phase{kind=~"BackupConfig|BackupSchedule", phase="Failed"}) > 0`,
    summary: `{{ $labels.kind }} ${CONFIG} is Failed`,
    description: `{{ $labels.kind }} ${CONFIG} is Failed. No Backup starts from it until you change it, or an object that it names. Its condition Ready names the problem.`,
    when: "A BackupConfig or BackupSchedule is Failed: no Backup starts from it until you change something.",
  },
  {
    name: "HoldfastPruningPaused",
    severity: "warning",
    for: "15m",
    expr: `max by (namespace, name, reason) (kopiur_backup_pruning_paused{reason!~"${TOLD_BY_OTHERS}"}) > 0`,
    summary: `Retention of ${CONFIG} is paused: {{ $labels.reason }}`,
    description: `Retention of BackupConfig ${CONFIG} is paused ({{ $labels.reason }}): all its Backups stay until you act, and the repository grows. A source that shrank may have lost its data. The condition PruningPaused gives the cause, and how to accept it. Begin with: holdfast explain config/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "Retention of a BackupConfig is paused, because a source shrank or its runs fail. Other alerts cover problems of the BackupConfig or the repository.",
  },
  {
    name: "HoldfastRepositoryAway",
    severity: "critical",
    for: "15m",
    expr: `max by (kind, namespace, name) (kopiur_resource_phase{kind=~"Repository|ClusterRepository", phase=~"Degraded|Failed"}) > 0`,
    summary: `${REPOSITORY} cannot be used`,
    description: `Holdfast cannot connect to ${REPOSITORY}. Backups and restores that need it wait. Its condition Connected gives the reason.`,
    when: "A repository is Degraded (it answered before, and does not now) or Failed (it has never answered).",
  },
  {
    name: "HoldfastBreakerOpen",
    severity: "warning",
    for: "15m",
    expr: "max by (kind, namespace, name) (holdfast_repository_breaker_open) > 0",
    summary: `Runs at ${REPOSITORY} wait, because its storage fails`,
    description: `Several runs in a row could not use the storage of ${REPOSITORY}, so new runs wait. One run at a time tests whether it works again. The condition StorageHealthy names the failure.`,
    when: "Several runs in a row failed because of a repository's storage, and new runs wait.",
  },
  {
    name: "HoldfastMaintenanceOverdue",
    severity: "warning",
    for: "1h",
    expr: `time() - max by (namespace, name, mode) (kopiur_maintenance_due_timestamp_seconds) > ${DAY}`,
    summary: `The {{ $labels.mode }} maintenance of ${MAINTENANCE} is overdue`,
    description: `A {{ $labels.mode }} run of Maintenance ${MAINTENANCE} was due {{ $value | humanizeDuration }} ago, and none has succeeded since. The repository grows, and deleted snapshots keep their space. Begin with: holdfast explain maintenance/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "A quick or full run of a Maintenance was due more than a day ago, and none has succeeded since.",
  },
  {
    name: "HoldfastRestoreFailed",
    severity: "critical",
    for: "0s",
    expr: `max by (namespace, name) (kopiur_resource_phase{kind="Restore", phase="Failed"}) > 0`,
    summary: `Restore ${CONFIG} failed`,
    description: `Restore ${CONFIG} has failed, and Holdfast does not try again without an edit. PVCs that wait for it stay without data. Begin with: holdfast explain restore/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "A Restore is Failed. The alert ends when it succeeds or is deleted.",
  },
  {
    name: "HoldfastVerificationFailed",
    severity: "critical",
    for: "0s",
    expr: `(min by (namespace, name) (kopiur_maintenance_check_healthy) == 0)
unless on (namespace, name) (kopiur_maintenance_check_missing_packs > 0)`,
    summary: `The check of the repository of Maintenance ${MAINTENANCE} found damage`,
    description: `The last check by Maintenance ${MAINTENANCE} found damage in its repository. Some backups may be incomplete. Maintenance cleans nothing up until a check finds no damage. Its status.lastCheck names the damage.`,
    when: "The last check of a repository found damage. If data is missing, HoldfastDataMissing fires instead.",
  },
  {
    name: "HoldfastDataMissing",
    severity: "critical",
    for: "0s",
    expr: "max by (namespace, name) (kopiur_maintenance_check_missing_packs) > 0",
    summary: `The storage of the repository of Maintenance ${MAINTENANCE} has lost data`,
    description: `The last check by Maintenance ${MAINTENANCE} found {{ $value }} packs missing from the storage of its repository. Snapshots that need them are incomplete, and so are new backups of the same files. Its status.lastCheck.missing names the affected snapshots and files. Delete nothing, and begin with: holdfast explain maintenance/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "The last check of a repository found that its storage has lost data that snapshots may need.",
  },
  {
    name: "HoldfastCatalogShrunk",
    severity: "critical",
    for: "5m",
    expr: "max by (kind, namespace, name) (kopiur_repository_catalog_shrunk) > 0",
    summary: `Many snapshots are missing from ${REPOSITORY}`,
    description: `${REPOSITORY} no longer lists many snapshots that belong to Backups. They were deleted, or this is another repository. The operator keeps all Backups until you acknowledge it. The condition CatalogShrunk counts the snapshots.`,
    when: "So many snapshots are missing from a repository's list that the operator does not believe it.",
  },
  {
    name: "HoldfastSnapshotDeletionFailing",
    severity: "warning",
    for: "15m",
    expr: `count by (namespace) (
  max by (namespace, name) (${DELETING})
  and max by (namespace, name) (${DELETING} offset 2h)
) > 0`,
    summary: "Holdfast cannot delete the snapshots of deleted Backups in {{ $labels.namespace }}",
    description:
      "{{ $value }} Backups in {{ $labels.namespace }} have been in phase Deleting for more than two hours, because their snapshots are still in the repository. The snapshots keep their space, and the Backups stay until the deletion succeeds.",
    when: "Backups have been in phase Deleting for more than two hours.",
  },
  {
    name: "HoldfastOperatorDown",
    severity: "critical",
    for: "5m",
    expr: `sum by (namespace, job) (holdfast_leader) == 0
or absent(holdfast_leader)`,
    summary: "No operator leads",
    description:
      "No replica of the operator runs, or none of them leads. No backup begins, no restore continues, and other alerts may stay silent. This also fires if Prometheus does not scrape the operator.",
    when: "Prometheus scrapes no replica of the operator, or none of them leads.",
  },
  {
    name: "HoldfastApiNotServed",
    severity: "critical",
    for: "5m",
    expr: "min by (namespace, job, api) (holdfast_api_served) == 0",
    summary: "The API {{ $labels.api }} is not served",
    description:
      "The operator runs, but leaves the objects of {{ $labels.api }} alone, because their CRDs do not fit, or another controller works on the same objects. No backup begins, no restore continues, and no other alert of this API can fire. The log of the operator names the problem.",
    when: "CRDs are adopted, and the operator does not serve their API: they do not fit, or another controller writes the status of their objects.",
  },
  {
    name: "HoldfastOperatorUnhealthy",
    severity: "warning",
    for: "15m",
    expr: `max by (namespace, pod, instance) (holdfast_watch_staleness_seconds) > 300
or max by (namespace, pod, instance) (max_over_time(${RUNNING}${OTHERS}[20m])) > 300
or max by (namespace, pod, instance) (max_over_time(${RUNNING}${CATALOGUE}[50m])) > 1980`,
    summary: "Operator {{ with $labels.pod }}{{ . }}{{ else }}{{ $labels.instance }}{{ end }} is stuck",
    description:
      "The operator has not heard from the API server for more than five minutes, or has recently worked on one object for longer than that, or has read one repository for more than half an hour. Kubernetes restarts its container after ten minutes, or forty for a repository. Its caches are old, and work waits.",
    when: "A replica's caches have not been confirmed for five minutes, or a reconcile ran for five, or reading a repository took half an hour.",
  },
  ...PLUMBER_ALERTS,
  ...AUTORESTORE_ALERTS,
  ...COZYSTACK_ALERTS,
  ...VELERO_ALERTS,
  {
    name: "HoldfastVolumeUnprotected",
    severity: "warning",
    for: "1d",
    optional: "volumeUnprotected",
    expr: 'max by (namespace, job) (holdfast_volumes{coverage="unprotected"}) > 0',
    summary: "Volumes without a backup: {{ $value }}",
    description:
      "{{ $value }} PersistentVolumeClaims have had no good backup for a day, and no exemption says that they need none: what is on them could not be brought back. Begin with: holdfast coverage -A",
    when: "For a day, some PersistentVolumeClaim has had neither a good backup nor an exemption. Off unless it is switched on: not every cluster backs up every volume.",
  },
];
