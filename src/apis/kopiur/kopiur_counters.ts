import type { ApiCounters, DeletionObserver } from "../../core/api.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { GROUP } from "../../kinds/kopiur/group.ts";
import { resourceName } from "../../kube/resource.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type {
  AdmissionInfo,
  AdmissionObserver,
  ReconcileObserver,
  RunEndObserver,
} from "../../observe/observers.ts";

const RECONCILE_SECONDS = [0.001, 0.01, 0.1, 1, 10, 60];
const RUN_SECONDS = [1, 5, 15, 60, 300, 900, 3600, 14_400, 43_200];

/** Everything that a reconcile can end with and that is an error; a conflict only means that something newer came. */
const ERROR_CLASSES = ["transient", "structural", "terminal"];

/** Adds the counters of this API. */
export function kopiurCounters(metrics: Metrics): Required<Omit<ApiCounters, "own">> {
  return {
    reconciles: reconcileCounters(metrics),
    admission: admissionCounter(metrics),
    deletions: deletionCounters(metrics),
    runs: runCounters(metrics),
  };
}

function reconcileCounters(metrics: Metrics): ReconcileObserver {
  const labels = ["kind"];
  const all = metrics.counter({
    name: "kopiur_controller_reconciliations_total",
    help: "Reconciles of objects of the kind, by all of its controllers",
    labels,
  });
  const errors = metrics.counter({
    name: "kopiur_controller_reconcile_errors_total",
    help: "Reconciles that failed: transient and structural ones are tried again, terminal ones wait for an edit",
    labels: [...labels, "class"],
  });
  const took = metrics.durations({
    name: "kopiur_controller_reconcile_duration_seconds",
    help: "Time that reconciles took",
    labels,
    buckets: RECONCILE_SECONDS,
  });
  return {
    reconciled(name, result, durationMs) {
      const kind = KIND_OF_CONTROLLER[name];
      if (kind === undefined) return;
      all({ kind });
      if (ERROR_CLASSES.includes(result)) errors({ kind, class: result });
      took({ kind }, durationMs / 1000);
    },
  };
}

/** What each controller reconciles. Two look at repositories of both kinds, and count as Repository. */
const KIND_OF_CONTROLLER: Readonly<Record<string, string>> = {
  "kopiur-repository": repositoryResource.kind,
  "kopiur-clusterrepository": clusterRepositoryResource.kind,
  "kopiur-catalog": repositoryResource.kind,
  "kopiur-default-maintenance": repositoryResource.kind,
  "kopiur-backupconfig": backupConfigResource.kind,
  "kopiur-retention": backupConfigResource.kind,
  "kopiur-backup": backupResource.kind,
  "kopiur-backupschedule": backupScheduleResource.kind,
  "kopiur-restore": restoreResource.kind,
  "kopiur-maintenance": maintenanceResource.kind,
};

const KIND_OF_RESOURCE = new Map(
  [
    backupConfigResource,
    backupResource,
    backupScheduleResource,
    clusterRepositoryResource,
    maintenanceResource,
    repositoryResource,
    restoreResource,
  ].map((resource) => [resourceName(resource), resource.kind]),
);

function admissionCounter(metrics: Metrics): AdmissionObserver {
  const answers = metrics.counter({
    name: "kopiur_webhook_admission_total",
    help: "Writes that the webhooks allowed or denied; failed: that could not be judged",
    labels: ["kind", "decision"],
  });
  return {
    reviewed(info) {
      const kind = KIND_OF_RESOURCE.get(info.resource);
      const decision = decisionOf(info);
      if (kind !== undefined && decision !== undefined) answers({ kind, decision });
    },
  };
}

/** Each write counts once: where it is completed first, the check that comes then has the word, unless none does. */
function decisionOf({ webhook, verdict }: AdmissionInfo): string | undefined {
  if (verdict === "denied") return verdict;
  if (webhook !== "validating") return undefined;
  return verdict === "passed" ? "allowed" : verdict;
}

function deletionCounters(metrics: Metrics): DeletionObserver {
  const labels = ["namespace"];
  const orphaned = metrics.counter({
    name: "kopiur_orphaned_snapshots_total",
    help: "Snapshots that stayed in their repository when their Backup went",
    labels,
  });
  const failed = metrics.counter({
    name: "kopiur_snapshot_deletion_failures_total",
    help: "Times that the snapshots of a deleted Backup could not be deleted",
    labels,
  });
  return {
    snapshotsOrphaned: (namespace, count) => orphaned({ namespace }, count),
    snapshotDeletionFailed: (namespace) => failed({ namespace }),
  };
}

function runCounters(metrics: Metrics): RunEndObserver {
  const labels = ["operation", "result"];
  const ended = metrics.counter({
    name: "kopiur_mover_operations_total",
    help: "Movers that ended: succeeded, failed, cancelled, or lost where nobody saw how",
    labels,
  });
  const took = metrics.durations({
    name: "kopiur_mover_operation_duration_seconds",
    help: "Time that movers ran",
    labels,
    buckets: RUN_SECONDS,
  });
  return {
    runEnded({ operation, result, seconds, run }) {
      if (run.owner?.group !== GROUP) return;
      ended({ operation, result });
      if (seconds !== undefined) took({ operation, result }, seconds);
    },
  };
}
