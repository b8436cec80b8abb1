import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allMetrics } from "../../../tools/run/metrics_files.ts";
import { isChartValue } from "./chart_values.ts";
import { ROOT } from "./pages.ts";

/* Every name in Kopiur's document, and the page that says what has become of it. */

const page = readFileSync(join(ROOT, "docs/reference/coming-from-kopiur.md"), "utf8");
const settings = readFileSync(join(ROOT, "docs/operator.md"), "utf8");
const metrics = new Map(allMetrics().map((metric) => [metric.name, metric]));

/** The table's rows: what stands there, and what is here. */
const rows = [...page.matchAll(/^\| (.*?) \| (.*) \|$/gm)].map(([, there = "", here = ""]) => ({
  there,
  here,
}));

const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

const VALUES = `
  installScope installCRDs webhook.enabled webhook.certManager.enabled webhook.tls.secretName webhook.caBundle
  webhook.serviceMonitor.enabled metrics.enabled metrics.serviceMonitor.enabled metrics.prometheusRule.enabled
  grafanaDashboard.enabled logging.level logging.format controller.logLevel observability.otlp.enabled
  observability.otlp.endpoint observability.otlp.protocol observability.otlp.headers observability.otlp.strict`;

const VARIABLES = `
  OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_HEADERS KOPIUR_OTEL_STRICT RUST_LOG
  KOPIUR_LOG_FORMAT`;

const PLACES = `
  :8080 8443 /metrics /healthz /readyz kopiur-controller kopiur-webhook deploy/observability-values.yaml
  deploy/dashboards/kopiur.json deploy/crds/all-crds.yaml deploy/rbac`;

const OLDER_METRICS = `
  controller_reconciliations_total controller_reconcile_duration_seconds kopia_backup_bytes_total
  kopia_repo_size_bytes kopia_maintenance_last_success_timestamp_seconds
  kopia_operator_backup_last_success_timestamp_seconds kopia_operator_backup_consecutive_failures
  kopia_operator_restore_duration_seconds kopia_operator_snapshot_deletion_failures_total
  kopia_operator_orphaned_snapshots_total`;

/** Name, type and labels, as in the document's table. */
const METRICS = `
  kopiur_controller_reconciliations_total counter kind
  kopiur_controller_reconcile_errors_total counter kind class
  kopiur_controller_reconcile_duration_seconds histogram kind
  kopiur_resource_phase gauge kind namespace name phase
  kopiur_backup_last_success_timestamp_seconds gauge namespace name
  kopiur_backup_consecutive_failures gauge namespace name
  kopiur_backup_size_bytes gauge namespace name
  kopiur_backup_files gauge namespace name
  kopiur_backup_duration_seconds gauge namespace name
  kopiur_orphaned_snapshots_total counter namespace
  kopiur_snapshot_deletion_failures_total counter namespace
  kopiur_schedule_backups_created_total counter namespace name
  kopiur_repo_size_bytes gauge namespace name
  kopiur_repo_snapshot_count gauge namespace name
  kopiur_repo_discovered_backups gauge namespace name
  kopiur_repository_maintenance_configured gauge kind namespace name
  kopiur_restore_duration_seconds gauge namespace name
  kopiur_maintenance_last_reclaimed_bytes gauge namespace name
  kopiur_webhook_admission_total counter kind decision
  kopiur_mover_operations_total counter operation result
  kopiur_mover_operation_duration_seconds histogram operation result`;

const words = (text: string) => text.trim().split(/\s+/);

describe("coming from Kopiur", () => {
  test.each(words(VALUES + VARIABLES + PLACES + OLDER_METRICS))("%s is listed", (name) => {
    expect(rows.flatMap(({ there }) => codes(there))).toContain(name);
  });

  test.each(METRICS.trim().split("\n").map(words))("%s is told, as it is named", (name = "", ...rest) => {
    const { type, labels = [] } = metrics.get(name) ?? {};
    expect([type, ...labels]).toEqual(rest);
  });

  test("what is the same is there", () => {
    const same = rows.filter(({ here }) => here.startsWith("the same")).flatMap(({ there }) => codes(there));
    const values = same.filter((name) => words(VALUES).includes(name));
    const variables = same.filter((name) => words(VARIABLES).includes(name));
    expect(values.length + variables.length).toBeGreaterThan(20);
    expect(values.filter((name) => !isChartValue(name))).toEqual([]);
    expect(variables.filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([]);
  });

  test("what takes a file's or a variable's place is there", () => {
    const here = rows.flatMap((row) => codes(row.here));
    const files = here.filter((name) => /^(charts|examples|src)\/[^*]+$/.test(name));
    const variables = here.filter((name) => name.startsWith("HOLDFAST_"));
    expect(files.length).toBeGreaterThan(2);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(variables.filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([]);
  });
});

test("the README says what becomes of a cluster with Kopiur's own CRDs", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  expect(readme).toMatch(
    /Kopiur itself has since renamed some of its kinds.* Holdfast does not serve this API/,
  );
});
