import { each, FAILURES, phase } from "./expressions.ts";
import type { Row } from "./panel.ts";

const FAILED = phase(".+", "Failed|Degraded");
const NOT_READY = each("kopiur_resource_not_ready", "kind, namespace, name, reason");

export const FAILING_ROW: Row = {
  title: "What is failing?",
  panels: [
    {
      title: "Objects that failed",
      description: "What is Failed or Degraded now, and the reason; `holdfast explain` says more",
      type: "table",
      unit: "short",
      width: 12,
      queries: [
        { expr: FAILED, legend: "failed" },
        { expr: `${NOT_READY} and on (kind, namespace, name) ${FAILED}`, legend: "not ready" },
      ],
    },
    {
      title: "Failed backups in a row",
      description: "Backups that failed since the last success, by BackupConfig",
      type: "timeseries",
      unit: "short",
      width: 12,
      queries: [{ expr: `${FAILURES} > 0`, legend: "{{namespace}}/{{name}}" }],
    },
    {
      title: "Movers that failed",
      description: "Attempts that failed, or were lost, within an hour, by what they did",
      type: "timeseries",
      unit: "short",
      width: 8,
      queries: [
        {
          expr: 'sum by (operation, result) (increase(kopiur_mover_operations_total{result=~"failed|lost"}[1h]))',
          legend: "{{operation}} {{result}}",
        },
      ],
    },
    {
      title: "Repositories in trouble",
      description:
        "Storage that fails, lists that shrank, damage that a check found, and snapshots that stay",
      type: "timeseries",
      unit: "short",
      width: 8,
      queries: [
        {
          expr: `${each("holdfast_repository_breaker_open", "kind, namespace, name")} > 0`,
          legend: "breaker open: {{namespace}}/{{name}}",
        },
        {
          expr: `${each("kopiur_repository_catalog_shrunk", "kind, namespace, name")} > 0`,
          legend: "list shrank: {{namespace}}/{{name}}",
        },
        {
          expr: `1 - ${each("kopiur_maintenance_check_healthy")} > 0`,
          legend: "damaged: {{namespace}}/{{name}}",
        },
        {
          expr: `${each("kopiur_maintenance_check_missing_packs")} > 0`,
          legend: "packs missing: {{namespace}}/{{name}}",
        },
        {
          expr: `${each("kopiur_maintenance_check_hit_snapshots")} > 0`,
          legend: "snapshots hit: {{namespace}}/{{name}}",
        },
        {
          expr: `${each("holdfast_repository_pending_deletions", "kind, namespace, name")} > 0`,
          legend: "to be deleted: {{namespace}}/{{name}}",
        },
      ],
    },
    {
      title: "Errors of the operator",
      description: "Reconciles that failed, and writes that the webhooks could not judge, each second",
      type: "timeseries",
      unit: "ops",
      width: 8,
      queries: [
        {
          expr: "sum by (kind, class) (rate(kopiur_controller_reconcile_errors_total[$__rate_interval]))",
          legend: "{{kind}} {{class}}",
        },
        {
          expr: 'sum by (kind) (rate(kopiur_webhook_admission_total{decision="failed"}[$__rate_interval]))',
          legend: "webhook {{kind}}",
        },
      ],
    },
  ],
};
