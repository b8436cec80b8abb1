import { each, FAILURES, phase } from "./expressions.ts";
import type { Row } from "./panel.ts";

const DUE = each("kopiur_backup_due_timestamp_seconds");
const SUCCESS = each("kopiur_backup_last_success_timestamp_seconds");
const volume = (metric: string) =>
  `max by (pvc_namespace, pvc, backup_config, repository) (${metric}{pvc_namespace=~"$namespace"})`;

/** One is too many. */
const ANY: readonly [number, number] = [1, 1];

export const PROTECTED_ROW: Row = {
  title: "Is everything protected?",
  panels: [
    {
      title: "On time",
      description: "BackupConfigs with a schedule whose last due run succeeded",
      type: "stat",
      unit: "short",
      width: 4,
      queries: [{ expr: `count(${DUE} > time()) or vector(0)`, legend: "BackupConfigs" }],
    },
    {
      title: "Late",
      description: "BackupConfigs whose last due run has not succeeded yet; it may still run",
      type: "stat",
      unit: "short",
      width: 4,
      limits: [1, 5],
      queries: [
        {
          expr: `count((${DUE} <= time()) and on (namespace, name) ${SUCCESS}) or vector(0)`,
          legend: "BackupConfigs",
        },
      ],
    },
    {
      title: "Never backed up",
      description: "BackupConfigs whose first run was due, and that have no backup",
      type: "stat",
      unit: "short",
      width: 4,
      limits: ANY,
      queries: [
        {
          expr: `count((${DUE} <= time()) unless on (namespace, name) ${SUCCESS}) or vector(0)`,
          legend: "BackupConfigs",
        },
      ],
    },
    {
      title: "Oldest newest backup",
      description: "The age of the newest backup, for the BackupConfig where it is oldest",
      type: "stat",
      unit: "s",
      width: 4,
      queries: [{ expr: `max(time() - ${SUCCESS})`, legend: "age" }],
    },
    {
      title: "Repositories away",
      description: "Repositories that cannot be connected to",
      type: "stat",
      unit: "short",
      width: 4,
      limits: ANY,
      queries: [
        {
          expr: `count(${phase("Repository|ClusterRepository", "Degraded|Failed")}) or vector(0)`,
          legend: "repositories",
        },
      ],
    },
    {
      title: "Alerts",
      description: "Alerts of Holdfast that fire",
      type: "stat",
      unit: "short",
      width: 4,
      limits: ANY,
      queries: [
        {
          expr: 'count(ALERTS{alertname=~"Holdfast.+", alertstate="firing"}) or vector(0)',
          legend: "firing",
        },
      ],
    },
    {
      title: "BackupConfigs",
      description: "Every BackupConfig: how old its newest backup is, and how late the next",
      type: "table",
      unit: "short",
      width: 14,
      queries: [
        { expr: `time() - ${SUCCESS}`, legend: "newest backup", unit: "s" },
        { expr: `clamp_min(time() - ${DUE}, 0)`, legend: "late by", unit: "s" },
        { expr: FAILURES, legend: "failed since" },
        { expr: each("kopiur_backup_pruning_paused"), legend: "pruning paused" },
        { expr: each("kopiur_backup_size_bytes"), legend: "size", unit: "bytes" },
        { expr: each("kopiur_backup_files"), legend: "files" },
        { expr: each("kopiur_backup_duration_seconds"), legend: "took", unit: "s" },
      ],
    },
    {
      title: "Volumes",
      description: "Every PVC with a backup: by which BackupConfig, where to, and how long ago",
      type: "table",
      unit: "short",
      width: 10,
      queries: [
        {
          expr: `time() - ${volume("kopiur_volume_last_success_timestamp_seconds")}`,
          legend: "newest backup",
          unit: "s",
        },
        { expr: volume("kopiur_volume_size_bytes"), legend: "size", unit: "bytes" },
      ],
    },
  ],
};
