import type { Alert } from "./alerts.ts";

const PLAN = "{{ $labels.namespace }}/{{ $labels.name }}";
const DAY = 86_400;

/** What a job waits for that comes by itself, or that its own alert tells. */
const USUAL = "|Running|WaitingForDriver";

/** Of Plans, their jobs and Backups. */
export const COZYSTACK_ALERTS: readonly Alert[] = [
  {
    name: "HoldfastPlanOverdue",
    severity: "critical",
    for: "1h",
    expr: `time() - max by (namespace, name) (cozystack_backups_plan_due_timestamp_seconds)
  > clamp_max(max by (namespace, name) (cozystack_backups_plan_interval_seconds), ${DAY})`,
    summary: `The application of Plan ${PLAN} has no new backup`,
    description: `A BackupJob of Plan ${PLAN} should have succeeded {{ $value | humanizeDuration }} ago. Changes of its application since then are not in any Backup. Begin with: holdfast explain plan/{{ $labels.name }} -n {{ $labels.namespace }}`,
    when: "A BackupJob of a Plan was due and none has succeeded, and since then the next one was due as well, or a day has passed.",
  },
  {
    name: "HoldfastPlanFailing",
    severity: "warning",
    for: "15m",
    expr: "max by (namespace, name) (cozystack_backups_plan_consecutive_failures) > 0",
    summary: `BackupJobs of Plan ${PLAN} fail`,
    description: `{{ $value }} BackupJobs of Plan ${PLAN} have failed since one succeeded. The message of the newest one says why. Begin with: holdfast list backupjobs -n {{ $labels.namespace }}`,
    when: "Since the last success, BackupJobs of a Plan have failed.",
  },
  {
    name: "HoldfastPlanBroken",
    severity: "warning",
    for: "15m",
    expr: 'max by (namespace) (cozystack_backups_resource_phase{kind="Plan", phase="Failed"}) > 0',
    summary: "Plans of {{ $labels.namespace }} are Failed",
    description:
      "{{ $value }} Plans of namespace {{ $labels.namespace }} are Failed, and create no BackupJobs until you edit them. Their condition Ready names the problem. Begin with: holdfast list plans -n {{ $labels.namespace }}",
    when: "A Plan is Failed: its schedule cannot be read, and it creates no BackupJobs until you edit it.",
  },
  {
    name: "HoldfastJobWaiting",
    severity: "warning",
    for: "30m",
    expr: `max by (kind, namespace, reason) (cozystack_backups_waiting{kind=~"BackupJob|RestoreJob", reason!~"${USUAL}"}) > 0`,
    summary: "{{ $labels.kind }}s of {{ $labels.namespace }} wait: {{ $labels.reason }}",
    description:
      "{{ $value }} {{ $labels.kind }}s of namespace {{ $labels.namespace }} have waited for half an hour ({{ $labels.reason }}). Nothing is backed up or restored by them meanwhile. Begin with: holdfast list {{ $labels.kind | toLower }}s -n {{ $labels.namespace }}",
    when: "For half an hour, BackupJobs or RestoreJobs have waited for a driver, a class, a strategy, a Backup or a consent.",
  },
  {
    name: "HoldfastRestoreJobFailed",
    severity: "critical",
    for: "0s",
    expr: 'max by (namespace) (cozystack_backups_resource_phase{kind="RestoreJob", phase="Failed"}) > 0',
    summary: "RestoreJobs of {{ $labels.namespace }} failed",
    description:
      "{{ $value }} RestoreJobs of namespace {{ $labels.namespace }} have failed. Their applications may be without data, or down. Begin with: holdfast list restorejobs -n {{ $labels.namespace }}",
    when: "A RestoreJob is Failed. The alert ends when it is deleted.",
  },
  {
    name: "HoldfastBackupNotDeleted",
    severity: "warning",
    for: "2h",
    expr: 'max by (namespace, reason) (cozystack_backups_waiting{kind="Backup", reason!~"|Deleting"}) > 0',
    summary: "Data of deleted Backups stays in {{ $labels.namespace }}: {{ $labels.reason }}",
    description:
      "The data of {{ $value }} deleted Backups of namespace {{ $labels.namespace }} cannot be deleted ({{ $labels.reason }}). It keeps its space, and the Backups stay in the phase Deleting until it is gone. Begin with: holdfast list applicationbackups -n {{ $labels.namespace }}",
    when: "For two hours, drivers have failed to delete the data of deleted Backups.",
  },
];
