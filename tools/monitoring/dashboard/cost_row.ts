import { each } from "./expressions.ts";
import type { Row } from "./panel.ts";

export const COST_ROW: Row = {
  title: "What does it cost?",
  panels: [
    {
      title: "Stored",
      description: "Bytes that each repository takes of its storage",
      type: "timeseries",
      unit: "bytes",
      width: 8,
      queries: [{ expr: each("kopiur_repo_stored_bytes"), legend: "{{namespace}}/{{name}}" }],
    },
    {
      title: "Protected",
      description:
        "Bytes of the newest snapshot of every identity: what a restore of everything would bring back",
      type: "timeseries",
      unit: "bytes",
      width: 8,
      queries: [{ expr: each("kopiur_repo_size_bytes"), legend: "{{namespace}}/{{name}}" }],
    },
    {
      title: "Snapshots",
      description: "Snapshots in each repository, and those of them that were found there",
      type: "timeseries",
      unit: "short",
      width: 8,
      queries: [
        { expr: each("kopiur_repo_snapshot_count"), legend: "{{namespace}}/{{name}}" },
        { expr: each("kopiur_repo_discovered_backups"), legend: "found: {{namespace}}/{{name}}" },
      ],
    },
    {
      title: "Maintenance",
      description: "How long ago each repository was maintained, how late that is, and what it gave back",
      type: "table",
      unit: "short",
      width: 12,
      queries: [
        {
          expr: `time() - ${each("kopiur_maintenance_last_success_timestamp_seconds", "namespace, name, mode")}`,
          legend: "last success",
          unit: "s",
        },
        {
          expr: `clamp_min(time() - ${each("kopiur_maintenance_due_timestamp_seconds", "namespace, name, mode")}, 0)`,
          legend: "late by",
          unit: "s",
        },
        {
          // Only full runs give back: beside those in the table.
          expr: `label_replace(${each("kopiur_maintenance_last_reclaimed_bytes")}, "mode", "full", "", "")`,
          legend: "given back",
          unit: "bytes",
        },
      ],
    },
    {
      title: "Memory of the operator",
      description: "Of each replica",
      type: "timeseries",
      unit: "bytes",
      width: 4,
      queries: [
        {
          expr: "process_resident_memory_bytes and on (instance, job) holdfast_leader",
          legend: "{{instance}}",
        },
      ],
    },
    {
      title: "Processor of the operator",
      description: "Share of one processor, of each replica",
      type: "timeseries",
      unit: "percentunit",
      width: 4,
      queries: [
        {
          expr: "rate(process_cpu_seconds_total[$__rate_interval]) and on (instance, job) holdfast_leader",
          legend: "{{instance}}",
        },
      ],
    },
    {
      title: "Requests to the API server",
      description: "Each second, by verb",
      type: "timeseries",
      unit: "reqps",
      width: 4,
      queries: [
        {
          expr: "sum by (verb) (rate(holdfast_api_requests_total[$__rate_interval]))",
          legend: "{{verb}}",
        },
      ],
    },
  ],
};
