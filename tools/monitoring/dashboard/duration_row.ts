import { each } from "./expressions.ts";
import type { Row } from "./panel.ts";

const quantile = (share: number) =>
  `histogram_quantile(${share}, sum by (le, operation) (increase(kopiur_mover_operation_duration_seconds_bucket[6h])))`;

export const DURATION_ROW: Row = {
  title: "How long does it take?",
  panels: [
    {
      title: "Newest backup of each BackupConfig",
      description: "How long it took, from the start of its mover to the end",
      type: "timeseries",
      unit: "s",
      width: 12,
      queries: [{ expr: each("kopiur_backup_duration_seconds"), legend: "{{namespace}}/{{name}}" }],
    },
    {
      title: "Restores",
      description: "How long each Restore took that is still there",
      type: "timeseries",
      unit: "s",
      width: 12,
      queries: [{ expr: each("kopiur_restore_duration_seconds"), legend: "{{namespace}}/{{name}}" }],
    },
    {
      title: "Movers",
      description:
        "Half of the movers of six hours took less than the one figure, nineteen of twenty less than the other",
      type: "timeseries",
      unit: "s",
      width: 8,
      queries: [
        { expr: quantile(0.5), legend: "{{operation}}, half" },
        { expr: quantile(0.95), legend: "{{operation}}, 95 %" },
      ],
    },
    {
      title: "Runs",
      description: "At repositories, running and waiting for their turn",
      type: "timeseries",
      unit: "short",
      width: 8,
      queries: [
        {
          expr: `sum by (state) (${each("holdfast_repository_runs", "kind, namespace, name, state")})`,
          legend: "{{state}}",
        },
      ],
    },
    {
      title: "Wait for a worker of the operator",
      description: "Nineteen of twenty changes were taken up within this time, by controller",
      type: "timeseries",
      unit: "s",
      width: 8,
      queries: [
        {
          expr: "histogram_quantile(0.95, sum by (le, queue) (rate(holdfast_queue_latency_seconds_bucket[$__rate_interval])))",
          legend: "{{queue}}",
        },
      ],
    },
  ],
};
