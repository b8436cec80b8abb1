import { CONDITIONS } from "../../core/reconcile/condition_types.ts";
import { REASONS } from "../../core/reconcile/reasons.ts";
import { failedForGood } from "../../core/view/made_up_for.ts";
import { conditionOf, heldUp } from "../../core/view/shown_object.ts";
import type { ResticRepository } from "../../kinds/autorestore/generated/restic_repository.ts";
import type { ResticRestore } from "../../kinds/autorestore/generated/restic_restore.ts";
import type { GaugeOptions, Sample } from "../../observe/metrics.ts";
import { backupGauges } from "./backup/backup_gauges.ts";
import { type AutorestoreCaches, isUnended, type Phased, restoreClaimKeyOf } from "./caches.ts";

/** What is shown of this API's objects at a scrape. */
export function autorestoreGauges(caches: AutorestoreCaches): readonly GaugeOptions[] {
  return [
    {
      name: "autorestore_resource_phase",
      help: "1 for the phase that the object is in; ResticBackups and ResticRestores only until they have completed",
      labels: ["kind", "namespace", "name", "phase"],
      read: () => phases(caches),
    },
    {
      name: "autorestore_managed_pvcs",
      help: "PVCs that a BackupConfig of AutoRestore has claimed",
      labels: ["namespace", "name"],
      read: () => managed(caches),
    },
    {
      name: "autorestore_repository_problem",
      help: "1 while the ResticRepository is Damaged, Unusable, or its last check or verification did not succeed (CheckFailed)",
      labels: ["namespace", "name", "problem"],
      read: () => repositoryProblems(caches),
    },
    {
      name: "autorestore_restore_failed",
      help: "1 for a ResticRestore that failed, until a later one into its PVC completes",
      labels: ["namespace", "name", "pvc"],
      read: () => failedForGood([...caches.restores.values()], restoreClaimKeyOf).map(restoreSample),
    },
    {
      name: "autorestore_restore_waiting",
      help: "1 while the ResticRestore waits for something other than a slot at its repository",
      labels: ["namespace", "name", "pvc"],
      read: () => [...caches.restores.values()].filter(isWaiting).map(restoreSample),
    },
    ...backupGauges(caches),
  ];
}

function* phases({ repositories, backups, restores }: AutorestoreCaches): Generator<Sample> {
  const shown: readonly Iterable<Phased>[] = [repositories.values(), backups.values(), restores.values()];
  for (const objects of shown) {
    for (const { kind, metadata, status } of objects) {
      const { namespace = "", name } = metadata;
      const { phase } = status ?? {};
      if (phase && phase !== "Completed") yield { labels: { kind, namespace, name, phase }, value: 1 };
    }
  }
}

function* managed({ configs }: AutorestoreCaches): Generator<Sample> {
  for (const { metadata, status } of configs.values()) {
    const { namespace = "", name } = metadata;
    yield { labels: { namespace, name }, value: status?.pvcCount ?? 0 };
  }
}

function* repositoryProblems({ repositories }: AutorestoreCaches): Generator<Sample> {
  for (const repository of repositories.values()) {
    const { namespace = "", name } = repository.metadata;
    const problem = problemOf(repository);
    if (problem) yield { labels: { namespace, name, problem }, value: 1 };
  }
}

/** One that is damaged says that it is Unknown as well. */
function problemOf(repository: ResticRepository): string | undefined {
  const { phase, maintenance } = repository.status ?? {};
  if (conditionOf(repository, CONDITIONS.intact)?.status === "False") return "Damaged";
  if (phase === "Failed" || phase === "Unknown") return "Unusable";
  const { check, verification } = maintenance ?? {};
  return (check?.error ?? verification?.error) ? "CheckFailed" : undefined;
}

/** While it asks a repository again and again, it is now and then at work: only what writes goes on. */
function isWaiting(restore: ResticRestore): boolean {
  if (!isUnended(restore) || conditionOf(restore, "Ready")?.reason === REASONS.queued) return false;
  return restore.status?.phase !== "Running" || heldUp(restore) !== undefined;
}

function restoreSample({ metadata: { namespace = "", name }, spec }: ResticRestore): Sample {
  return { labels: { namespace, name, pvc: spec.targetPVC }, value: 1 };
}
