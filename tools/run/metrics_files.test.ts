import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allMetrics, metricsFiles } from "./metrics_files.ts";

/** The names, types and labels that the native API's document gives, and one for maintenance that it lacks. */
const DOCUMENTED = `
kopiur_backup_consecutive_failures gauge namespace name
kopiur_backup_duration_seconds gauge namespace name
kopiur_backup_files gauge namespace name
kopiur_backup_last_success_timestamp_seconds gauge namespace name
kopiur_backup_size_bytes gauge namespace name
kopiur_controller_reconcile_duration_seconds histogram kind
kopiur_controller_reconcile_errors_total counter kind class
kopiur_controller_reconciliations_total counter kind
kopiur_maintenance_last_reclaimed_bytes gauge namespace name
kopiur_maintenance_last_success_timestamp_seconds gauge namespace name mode
kopiur_mover_operation_duration_seconds histogram operation result
kopiur_mover_operations_total counter operation result
kopiur_orphaned_snapshots_total counter namespace
kopiur_repo_discovered_backups gauge namespace name
kopiur_repo_size_bytes gauge namespace name
kopiur_repo_snapshot_count gauge namespace name
kopiur_repository_maintenance_configured gauge kind namespace name
kopiur_resource_phase gauge kind namespace name phase
kopiur_restore_duration_seconds gauge namespace name
kopiur_schedule_backups_created_total counter namespace name
kopiur_snapshot_deletion_failures_total counter namespace
kopiur_webhook_admission_total counter kind decision`;

/** What the alerts and the dashboard need besides. */
const ADDED = `
kopiur_backup_due_timestamp_seconds gauge namespace name
kopiur_backup_interval_seconds gauge namespace name
kopiur_backup_incomplete_volumes gauge namespace name
kopiur_backup_pruning_paused gauge namespace name reason
kopiur_maintenance_check_healthy gauge namespace name
kopiur_maintenance_check_hit_snapshots gauge namespace name
kopiur_maintenance_check_missing_packs gauge namespace name
kopiur_maintenance_due_timestamp_seconds gauge namespace name mode
kopiur_repo_stored_bytes gauge namespace name
kopiur_repository_catalog_shrunk gauge kind namespace name
kopiur_resource_not_ready gauge kind namespace name reason`;

/** The labels that the document wants of every volume; it gives no names. */
const OF_VOLUMES = `
kopiur_volume_last_success_timestamp_seconds gauge pvc pvc_namespace backup_config repository
kopiur_volume_size_bytes gauge pvc pvc_namespace backup_config repository`;

test("the metrics of the native API have the names, types and labels of its document", () => {
  const ours = allMetrics().filter(({ name }) => name.startsWith("kopiur_"));
  expect(ours.map(({ name, type, labels }) => [name, type, ...labels].join(" "))).toEqual(
    [DOCUMENTED, ADDED, OF_VOLUMES].flatMap((list) => list.trim().split("\n")).toSorted(),
  );
});

const OF_PLUMBER = `
pvc_plumber_admission_denied_total counter reason mode
pvc_plumber_admission_requests_total counter operation result mode
pvc_plumber_backup_exists_total counter
pvc_plumber_backup_unknown_total counter
pvc_plumber_cache_age_seconds gauge repo
pvc_plumber_cache_refresh_errors_total counter repo error_type
pvc_plumber_cache_refresh_total counter repo outcome
pvc_plumber_duplicate_identity_total counter
pvc_plumber_generated_resources_total counter kind
pvc_plumber_reconcile_errors_total counter kind reason
pvc_plumber_restore_injections_total counter
pvc_plumber_source_gated_total counter state`;

test("the metrics of protection by labels have the names and labels of its document", () => {
  const ours = allMetrics().filter(({ name }) => name.startsWith("pvc_plumber_"));
  const told = ours.map(({ name, type, labels }) => [name, type, ...labels].join(" "));
  expect(told).toEqual(OF_PLUMBER.trim().split("\n"));
});

test("every metric says what it means, in one sentence that a table can hold", () => {
  for (const { name, help } of allMetrics()) expect(help, name).toMatch(/^[A-Z0-9][^|\n]{5,118}[^|\n.]$/);
});

test("the page of metrics names each of them, as it is now", async () => {
  for (const [path, text] of metricsFiles()) {
    expect(await readFile(join(import.meta.dirname, "../..", path), "utf8")).toBe(text);
    for (const { name } of allMetrics()) expect(text).toContain(`| \`${name}\` |`);
  }
});
