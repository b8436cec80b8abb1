import { expect, test } from "vitest";
import { Metrics } from "../../observe/metrics.ts";
import { plumberCounters, tallyOf } from "./plumber_counters.ts";

const REPO = "ClusterRepository pvc-plumber";

test("every metric of the document has its name, its labels and a value", async () => {
  const metrics = new Metrics();
  const tally = tallyOf(plumberCounters(metrics));
  tally.readAge(REPO, { age: 30_000, stale: true });
  tally.refreshed(REPO);
  tally.refreshFailed(REPO, "Unreachable");
  const asked = { operation: "CREATE", mode: "strict" } as const;
  tally.admitted({ ...asked, result: "injected", reason: "RestoreInjected", answer: "yes" });
  tally.admitted({ ...asked, result: "denied", reason: "BackupStateUnknown", answer: "unknown" });
  tally.admitted({ ...asked, result: "allowed", reason: "BackupStateKnown", answer: "no" });
  tally.generated("Restore");
  tally.failed("Restore", "Forbidden");
  tally.gated("waiting_for_min_age");
  tally.duplicate();
  const lines = (await metrics.text()).split("\n").filter((line) => /^(pvc_plumber|holdfast)_/.test(line));
  expect(lines).toEqual(
    expect.arrayContaining([
      `pvc_plumber_cache_age_seconds{repo="${REPO}"} 30`,
      `holdfast_backup_list_stale{repo="${REPO}"} 1`,
      `pvc_plumber_cache_refresh_total{repo="${REPO}",outcome="success"} 1`,
      `pvc_plumber_cache_refresh_total{repo="${REPO}",outcome="error"} 1`,
      `pvc_plumber_cache_refresh_errors_total{repo="${REPO}",error_type="Unreachable"} 1`,
      'pvc_plumber_admission_requests_total{operation="CREATE",result="injected",mode="strict"} 1',
      'pvc_plumber_admission_requests_total{operation="CREATE",result="denied",mode="strict"} 1',
      'pvc_plumber_admission_requests_total{operation="CREATE",result="allowed",mode="strict"} 1',
      'pvc_plumber_admission_denied_total{reason="BackupStateUnknown",mode="strict"} 1',
      "pvc_plumber_restore_injections_total 1",
      "pvc_plumber_backup_exists_total 1",
      "pvc_plumber_backup_unknown_total 1",
      'pvc_plumber_generated_resources_total{kind="Restore"} 1',
      'pvc_plumber_reconcile_errors_total{kind="Restore",reason="Forbidden"} 1',
      'pvc_plumber_source_gated_total{state="waiting_for_min_age"} 1',
      "pvc_plumber_duplicate_identity_total 1",
    ]),
  );
});
