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
}

const RECIPE = "{{ $labels.namespace }}/{{ $labels.name }}";
const REPOSITORY = "{{ $labels.kind }} {{ with $labels.namespace }}{{ . }}/{{ end }}{{ $labels.name }}";
const MAINTENANCE = RECIPE;

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
    summary: `The newest backup of ${RECIPE} is too old`,
    description: `BackupConfig ${RECIPE} should have succeeded {{ $value | humanizeDuration }} ago by its schedule. What has changed since then could not be brought back. Begin with: holdfast explain config/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "A run was due, brought no success, and by now the next one was due as well, or a day has passed.",
  },
  {
    name: "HoldfastBackupNeverRan",
    severity: "warning",
    for: "2h",
    expr: `(time() - max by (namespace, name) (kopiur_backup_due_timestamp_seconds) > 0)
unless on (namespace, name) kopiur_backup_last_success_timestamp_seconds`,
    summary: `${RECIPE} has a schedule and no backup`,
    description: `The first run of BackupConfig ${RECIPE} was due {{ $value | humanizeDuration }} ago, and no backup of it has ever succeeded, or there is no such BackupConfig: its volumes are not protected. Begin with: holdfast explain config/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "The first run of a schedule was due, and its recipe has never succeeded, or is not there.",
  },
  {
    name: "HoldfastBackupFailing",
    severity: "warning",
    for: "15m",
    expr: "max by (namespace, name) (kopiur_backup_consecutive_failures) > 0",
    summary: `Backups of ${RECIPE} fail`,
    description: `{{ $value }} Backups of BackupConfig ${RECIPE} have failed since one succeeded. Begin with: holdfast list backups -n {{ $labels.namespace }}`,
    when: "Backups of a recipe have failed, with all of their retries, since one succeeded.",
  },
  {
    name: "HoldfastRecipeBroken",
    severity: "warning",
    for: "15m",
    expr: `max by (kind, namespace, name) (kopiur_resource_phase{kind=~"BackupConfig|BackupSchedule", phase="Failed"}) > 0`,
    summary: `{{ $labels.kind }} ${RECIPE} cannot be run as it is written`,
    description: `{{ $labels.kind }} ${RECIPE} is Failed: it begins nothing until it, or what it names, is changed. Its condition Ready says what is wrong.`,
    when: "A BackupConfig or BackupSchedule is Failed: nothing runs by it until somebody changes something.",
  },
  {
    name: "HoldfastPruningPaused",
    severity: "warning",
    for: "15m",
    expr: `max by (namespace, name, reason) (kopiur_backup_pruning_paused{reason!~"${TOLD_BY_OTHERS}"}) > 0`,
    summary: `Nothing of ${RECIPE} is pruned: {{ $labels.reason }}`,
    description: `Retention of BackupConfig ${RECIPE} holds back ({{ $labels.reason }}): every backup of it stays until somebody has looked, and the repository grows. A source that shrank may have lost its data. The condition PruningPaused says what happened, and how to accept it. Begin with: holdfast explain config/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "Retention of a recipe holds back, because a source shrank or its runs fail. Where the recipe or the repository is the cause, other alerts tell.",
  },
  {
    name: "HoldfastRepositoryAway",
    severity: "critical",
    for: "15m",
    expr: `max by (kind, namespace, name) (kopiur_resource_phase{kind=~"Repository|ClusterRepository", phase=~"Degraded|Failed"}) > 0`,
    summary: `${REPOSITORY} cannot be used`,
    description: `${REPOSITORY} could not be connected to. Nothing is backed up to it, and nothing can be restored from it. Its condition Connected says why.`,
    when: "A repository is Degraded (it answered once, and does not now) or Failed (it never did).",
  },
  {
    name: "HoldfastBreakerOpen",
    severity: "warning",
    for: "15m",
    expr: "max by (kind, namespace, name) (holdfast_repository_breaker_open) > 0",
    summary: `Work at ${REPOSITORY} waits, because its storage fails`,
    description: `Several runs in a row could not use the storage of ${REPOSITORY}, so that new ones wait; one at a time tries whether it works again. The condition StorageHealthy says what failed.`,
    when: "Runs failed at a repository's storage one after another, and new ones wait for it.",
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
    summary: `Restore ${RECIPE} failed`,
    description: `Restore ${RECIPE} has failed for good: what waits for its data does not get it. Begin with: holdfast explain restore/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "A Restore is Failed, for as long as it is there.",
  },
  {
    name: "HoldfastVerificationFailed",
    severity: "critical",
    for: "0s",
    expr: `(min by (namespace, name) (kopiur_maintenance_check_healthy) == 0)
unless on (namespace, name) (kopiur_maintenance_check_missing_packs > 0)`,
    summary: `The check of the repository of Maintenance ${MAINTENANCE} found damage`,
    description: `The last check by Maintenance ${MAINTENANCE} found that its repository is damaged. Some backups may not come back. Nothing is cleaned up until a check finds it sound. Its status.lastCheck says what was found.`,
    when: "The last check of a repository found damage, and no data missing, of which another alert tells.",
  },
  {
    name: "HoldfastDataMissing",
    severity: "critical",
    for: "0s",
    expr: "max by (namespace, name) (kopiur_maintenance_check_missing_packs) > 0",
    summary: `The storage of the repository of Maintenance ${MAINTENANCE} has lost data`,
    description: `The last check by Maintenance ${MAINTENANCE} found {{ $value }} packs missing from the storage of its repository. Snapshots that need them do not come back whole, and new backups of the same files rely on them, too. Its status.lastCheck.missing names the snapshots and files that are hit. Delete nothing, and begin with: holdfast explain maintenance/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "The last check of a repository found that its storage has lost data which snapshots may need.",
  },
  {
    name: "HoldfastCatalogShrunk",
    severity: "critical",
    for: "5m",
    expr: "max by (kind, namespace, name) (kopiur_repository_catalog_shrunk) > 0",
    summary: `Many snapshots are missing from ${REPOSITORY}`,
    description: `The list of ${REPOSITORY} lacks so many snapshots that Backups stand for that nobody believes it yet: nothing is given up. Somebody has deleted them, or this is not the repository that it was. The condition CatalogShrunk counts them.`,
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
    summary: "Snapshots of deleted Backups cannot be deleted in {{ $labels.namespace }}",
    description:
      "{{ $value }} Backups in {{ $labels.namespace }} have been in phase Deleting for more than two hours, because their snapshots are still in the repository. They keep their space, and the Backups stay until it works.",
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
      "No replica of the operator is there, or none of them leads: no backup begins, no restore goes on, and no other alert can tell. If Prometheus does not scrape the operator, this fires as well.",
    when: "No replica of the operator is scraped, or none of them leads.",
  },
  {
    name: "HoldfastApiNotServed",
    severity: "critical",
    for: "5m",
    expr: "min by (namespace, job, api) (holdfast_api_served) == 0",
    summary: "The API {{ $labels.api }} is not served",
    description:
      "The operator is there and does nothing for the objects of {{ $labels.api }}, because their CRDs lack something, or another controller works on the same objects: no backup begins, no restore goes on, and no other alert of them can tell. Its log says what stands against it.",
    when: "CRDs are adopted, and the operator leaves their objects alone: they lack what it needs, or another controller writes them.",
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
      "The operator has not heard from the API server for more than five minutes, or has worked on one object for more than that, a while ago if not now, or has looked into one repository for more than half an hour: after ten minutes, or forty, its container is started again. What it knows is old, and what it should do waits.",
    when: "A replica's caches have not been confirmed for five minutes, or a reconcile ran for five, or a look into a repository for half an hour.",
  },
];
