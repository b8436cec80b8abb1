import { act } from "../../../core/reconcile/act.ts";
import { deleteFor } from "../../../core/reconcile/delete_for.ts";
import { controllerPorts, type EngineRoom } from "../../../core/reconcile/engine_room.ts";
import { phaseOrSpecChanged } from "../../../core/reconcile/phase_or_spec_changed.ts";
import { reconcileSchedule, type ScheduleApi } from "../../../core/schedule/reconcile_schedule.ts";
import { backupResource } from "../../../kinds/cozystack/generated/backup.ts";
import { type BackupJob, backupJobResource } from "../../../kinds/cozystack/generated/backup_job.ts";
import { type Plan, planResource } from "../../../kinds/cozystack/generated/plan.ts";
import { restoreJobResource } from "../../../kinds/cozystack/generated/restore_job.ts";
import { lastSeen } from "../../../kube/cache/cache.ts";
import { findIn } from "../../../kube/cache/found.ts";
import { clockSteps } from "../../../kube/controller/clock_steps.ts";
import { Controller, done } from "../../../kube/controller/controller.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import { BY_BACKUP, BY_CLASS, BY_OWNER, BY_PLAN, type CozystackCaches } from "../caches.ts";
import { decideHistory } from "./decide_history.ts";
import { decideJob, decideRestoreJob } from "./decide_job.ts";
import { keptOwners } from "./kept_owners.ts";
import { missingLabels } from "./missing_labels.ts";
import { isOfSlot, observedPlan, plannedJob, planStatus } from "./planned_job.ts";
import { restoreProblem, restoringInto } from "./restore_consent.ts";

/** The controllers of plans and jobs, which know no driver: they meet in objects alone. */
export function coreControllers(room: EngineRoom, caches: CozystackCaches): readonly Runnable[] {
  return [
    ...planControllers(room, caches),
    jobController(room, caches),
    restoreJobController(room, caches),
    backupController(room, caches),
  ];
}

function planControllers(room: EngineRoom, caches: CozystackCaches): readonly Runnable[] {
  const { client, clock } = room;
  const { plans, classes, backupJobs, backups, restoreJobs } = caches;
  const api: ScheduleApi<Plan, BackupJob> = {
    schedules: planResource,
    backups: backupJobResource,
    backupsOf: (plan) => backupJobs.indexed(BY_PLAN, keyOf(plan)),
    observe: (plan, jobs) => {
      const found = classes.get(keyOf({ name: plan.spec.backupClassName }));
      return observedPlan(plan, { jobs, class: found, now: clock.now() });
    },
    statusOf: planStatus,
    draft: plannedJob,
    isOf: isOfSlot,
    prune: (object, call) => deleteFor(client, { resource: backupJobResource, object }, call),
  };
  const controller = new Controller({
    ...controllerPorts(room),
    name: "cozystack-plan",
    // All controllers share one rate of requests, each by its workers: what is due comes before the work on it.
    concurrency: 64,
    reconcile: async (key, signal) => {
      const plan = plans.get(key);
      if (!plan || plan.metadata.deletionTimestamp) return done;
      const outcome = await reconcileSchedule(room, api, plan, signal);
      const needed = [...restoreJobs.values()].filter(
        ({ metadata, status }) => metadata.namespace === plan.metadata.namespace && !status?.completedAt,
      );
      const history = decideHistory({
        plan,
        jobs: backupJobs.indexed(BY_PLAN, key),
        backups: backups.indexed(BY_PLAN, key),
        needed: new Set(needed.map(({ spec }) => spec.backupRef.name)),
        owns: ({ metadata }) => backups.indexed(BY_OWNER, metadata.uid).length > 0,
        now: clock.now(),
      });
      for (const note of history.events) room.events.event(plan, note);
      for (const object of history.jobs) {
        await deleteFor(client, { resource: backupJobResource, object }, { signal });
      }
      for (const object of history.backups) {
        await deleteFor(client, { resource: backupResource, object, mark: "Retention" }, { signal });
      }
      return outcome;
    },
  })
    .watch(plans)
    .watch(classes, { keys: ({ key }) => plans.indexed(BY_CLASS, key).map(keyOf) })
    .watch(backupJobs, { when: phaseOrSpecChanged, keys: (change) => planOf(lastSeen(change)) })
    .watch(backups, { when: phaseOrSpecChanged, keys: (change) => planOf(lastSeen(change)) });
  const steps = clockSteps({
    name: "cozystack-plan-clock",
    clock,
    onStep: () => {
      for (const plan of plans.values()) controller.enqueue(keyOf(plan));
    },
  });
  return [controller, steps];
}

function planOf({
  metadata,
  spec,
}: KubeObject & { readonly spec: { readonly planRef?: { readonly name: string } } }): readonly ObjectKey[] {
  return spec.planRef ? [keyOf({ namespace: metadata.namespace, name: spec.planRef.name })] : [];
}

function jobController(room: EngineRoom, { backupJobs, classes }: CozystackCaches): Controller {
  return new Controller({
    ...controllerPorts(room),
    name: "cozystack-backupjob",
    concurrency: 8,
    reconcile: async (key, signal) => {
      const job = backupJobs.get(key);
      if (!job || job.metadata.deletionTimestamp) return done;
      const found = classes.get(keyOf({ name: job.spec.backupClassName }));
      const decision = decideJob({ job, class: found, now: room.clock.now() });
      return act(room, { resource: backupJobResource, object: job }, decision, signal);
    },
  })
    .watch(backupJobs)
    .watch(classes, { keys: ({ key }) => backupJobs.indexed(BY_CLASS, key).map(keyOf) });
}

function restoreJobController(room: EngineRoom, caches: CozystackCaches): Controller {
  const { restoreJobs, backups, namespaces } = caches;
  const lookup = { namespace: (name: string) => findIn(namespaces, { name }) };
  return new Controller({
    ...controllerPorts(room),
    name: "cozystack-restorejob",
    reconcile: async (key, signal) => {
      const job = restoreJobs.get(key);
      if (!job || job.metadata.deletionTimestamp) return done;
      const { namespace } = job.metadata;
      const backup = backups.get(keyOf({ namespace, name: job.spec.backupRef.name }));
      const forbidden = restoreProblem(job, lookup, room.settings.guarded ?? false);
      const decision = decideRestoreJob({ job, backup, forbidden, now: room.clock.now() });
      return act(room, { resource: restoreJobResource, object: job }, decision, signal);
    },
  })
    .watch(restoreJobs)
    .watch(backups, { keys: ({ key }) => restoreJobs.indexed(BY_BACKUP, key).map(keyOf) })
    .watch(namespaces, { keys: ({ key }) => restoringInto(key, restoreJobs.values()) });
}

/** Frees Backups of owners with which they would go, and labels those that their driver did not. */
function backupController(room: EngineRoom, { backups }: CozystackCaches): Controller {
  const { client, events } = room;
  return new Controller({
    ...controllerPorts(room),
    name: "cozystack-backup-owners",
    reconcile: async (key, signal) => {
      const backup = backups.get(key);
      if (!backup) return done;
      const [ownerReferences, labels] = [keptOwners(backup), missingLabels(backup)];
      if (!ownerReferences && !labels) return done;
      const { resourceVersion } = backup.metadata;
      const owners = ownerReferences ? { ownerReferences } : {};
      const patch = { metadata: { resourceVersion, ...owners, ...(labels ? { labels } : {}) } };
      await client.patch(backupResource, backup.metadata, { type: "merge", patch }, { signal });
      if (!ownerReferences) return done;
      const message = "The BackupJob no longer owns this Backup: deleting the job leaves the Backup.";
      events.event(backup, { type: "Normal", reason: "OwnerRemoved", message });
      return done;
    },
  }).watch(backups);
}
