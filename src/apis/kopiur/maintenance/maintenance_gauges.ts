import { runDueAt } from "../../../core/maintenance/run_due_at.ts";
import { REASONS } from "../../../core/reconcile/reasons.ts";
import type { Maintenance, MaintenanceStatus } from "../../../kinds/kopiur/generated/maintenance.ts";
import type { GaugeOptions, Sample } from "../../../observe/metrics.ts";
import type { KopiurCaches } from "../caches.ts";
import { withOwner } from "./with_owner.ts";

/** What is to be seen of maintenance at a scrape: read from the caches, so that what is gone is not shown. */
export function maintenanceGauges({
  maintenances,
}: Pick<KopiurCaches, "maintenances">): readonly GaugeOptions[] {
  const gauge = (name: string, help: string, of: (status: MaintenanceStatus) => number | undefined) => ({
    name,
    help,
    labels: ["namespace", "name"],
    read: () =>
      [...maintenances.values()].flatMap(({ metadata: { namespace = "", name: whose }, status }) => {
        const value = status && of(status);
        return value === undefined ? [] : [{ labels: { namespace, name: whose }, value }];
      }),
  });
  const timed = (name: string, help: string, of: (maintenance: Maintenance) => readonly Sample[]) => ({
    name,
    help,
    labels: ["namespace", "name", "mode"],
    read: () => [...maintenances.values()].flatMap(of),
  });
  return [
    timed(
      "kopiur_maintenance_last_success_timestamp_seconds",
      "When a run of the Maintenance last succeeded, quick or full",
      lastSuccesses,
    ),
    timed(
      "kopiur_maintenance_due_timestamp_seconds",
      "When the first quick or full run is due, or was, since one succeeded",
      dueRuns,
    ),
    gauge(
      "kopiur_maintenance_check_healthy",
      "1 when the last check of the repository found nothing, 0 when it found damage",
      ({ lastCheck }) => lastCheck && (lastCheck.healthy ? 1 : 0),
    ),
    // Nothing before the first check, and 0 when a check finds everything there.
    gauge(
      "kopiur_maintenance_check_missing_packs",
      "Packs that the last check of the repository found missing from its storage",
      ({ lastCheck }) => lastCheck && (lastCheck.missing?.packs ?? 0),
    ),
    gauge(
      "kopiur_maintenance_check_hit_snapshots",
      "Snapshots that need what the last check of the repository found missing, where that is known",
      ({ lastCheck }) => lastCheck && (lastCheck.missing ? lastCheck.missing.snapshots : 0),
    ),
    gauge(
      "kopiur_maintenance_last_reclaimed_bytes",
      "Bytes of storage that the last full run gave back",
      ({ full }) => full?.lastContentReclaimedBytes,
    ),
  ];
}

function lastSuccesses({ metadata: { namespace = "", name }, status }: Maintenance): readonly Sample[] {
  return (["quick", "full"] as const).flatMap((mode) => {
    const at = status?.[mode]?.lastSuccessAt;
    return at === undefined ? [] : [{ labels: { namespace, name, mode }, value: Date.parse(at) / 1000 }];
  });
}

/** To understand a schedule costs more than all the rest of a scrape, and what is due seldom changes. */
const memory = new WeakMap<Maintenance, readonly Sample[]>();

function dueRuns(maintenance: Maintenance): readonly Sample[] {
  const known = memory.get(maintenance);
  if (known) return known;
  const { namespace = "", name } = maintenance.metadata;
  const due = (["quick", "full"] as const).flatMap((mode) => {
    const at = isBehind(maintenance) ? undefined : runDueAt(withOwner(maintenance), mode);
    return at === undefined ? [] : [{ labels: { namespace, name, mode }, value: at / 1000 }];
  });
  memory.set(maintenance, due);
  return due;
}

/** Another one maintains the stored repository, so that nothing is due here. */
function isBehind({ status }: Maintenance): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.reason === REASONS.sharedRepository;
}
