import { act } from "../../../core/reconcile/act.ts";
import { controllerPorts, type EngineRoom } from "../../../core/reconcile/engine_room.ts";
import { blocked } from "../../../core/reconcile/problem.ts";
import { ARTIFACT, RUNNING } from "../../../kinds/cozystack/finalizers.ts";
import { type Backup, backupResource } from "../../../kinds/cozystack/generated/backup.ts";
import { type BackupJob, backupJobResource } from "../../../kinds/cozystack/generated/backup_job.ts";
import { type RestoreJob, restoreJobResource } from "../../../kinds/cozystack/generated/restore_job.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { findIn } from "../../../kube/cache/found.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { BY_BACKUP, type CozystackCaches } from "../caches.ts";
import { type StrategyRef, strategyWithGroup, withGroup } from "../core/resolve_class.ts";
import { restoreProblem, restoringInto, targetNamespaceOf } from "../core/restore_consent.ts";
import type { Applications } from "./applications.ts";
import { carryOutOwn } from "./carry_out_own.ts";
import { decideDriven } from "./decide_driven.ts";
import { decideKept, isLookedAt } from "./decide_kept.ts";
import { decideRemoved } from "./decide_removed.ts";
import type { Driver, OwnIntent, Step } from "./driver.ts";
import { endOfBackupJob, endOfRestoreJob } from "./end_of_job.ts";
import { recordBackup } from "./record_backup.ts";

export interface DriverPorts {
  readonly room: EngineRoom;
  readonly informers: Pick<Informers, "cache">;
  readonly caches: CozystackCaches;
  readonly applications: Applications;
}

/** What lets the controllers of a driver look again: its keys by kind of object. */
export interface DriverWakes {
  readonly backupJobs: Controller;
  readonly restoreJobs: Controller;
  readonly backups: Controller;
}

/** The controllers of a driver: it meets the core in BackupJobs, RestoreJobs and Backups alone. */
export function driverControllers<S extends KubeObject>(ports: DriverPorts, driver: Driver<S>): DriverWakes {
  const { room, informers, caches } = ports;
  const { client, clock } = room;
  const strategies = driver.strategies.map((resource) => ({
    resource,
    cache: informers.cache({ resource }),
  }));

  const own = carryOutOwn(client, clock);

  /** The strategy that is meant, where it is one of this driver's. */
  const mine = (ref: StrategyRef | undefined) => {
    if (!ref) return undefined;
    const { apiGroup, kind, name } = strategyWithGroup(ref);
    const own = strategies.find(({ resource }) => resource.group === apiGroup && resource.kind === kind);
    return own && { strategy: own.cache.get(keyOf({ name })), text: `${kind} ${name} of ${apiGroup}` };
  };
  const missing = (text: string): Step => ({
    type: "Waiting",
    problem: blocked(
      "StrategyNotFound",
      `The strategy ${text} does not exist. Create it; the job then goes on.`,
    ),
  });
  const around = { namespace: (name: string) => findIn(caches.namespaces, { name }) };
  const isGoing = (namespace: string) =>
    caches.namespaces.get(keyOf({ name: namespace }))?.metadata.deletionTimestamp !== undefined;

  const backupJob = async (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => {
    const object = caches.backupJobs.get(key);
    const known = mine(object?.status?.strategyRef);
    if (!object || !known) return done;
    const target = { resource: backupJobResource, object };
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp || object.status?.completedAt) {
      const abandon = () => driver.abandon?.(object, signal);
      const end = await endOfBackupJob(object, { client, abandon, isGoing }, { signal });
      if (end.intents.length === 0 && end.wakeAt === undefined) return done;
      return act<BackupJob, OwnIntent>(room, target, end, signal, own);
    }
    const step = await backupStep(object, known, signal);
    const decision = decideDriven(object, step, clock.now());
    const hold =
      step.type === "Running" && driver.abandon && !finalizers.includes(RUNNING)
        ? [{ type: "Hold", finalizer: RUNNING, labels: {} } as const]
        : [];
    const intents = [...hold, ...decision.intents];
    return act<BackupJob, OwnIntent>(room, target, { ...decision, intents }, signal, own);
  };

  const backupStep = async (
    object: BackupJob,
    { strategy, text }: NonNullable<ReturnType<typeof mine>>,
    signal: AbortSignal,
  ): Promise<Step> => {
    if (!strategy) return missing(text);
    const { namespace = "" } = object.metadata;
    const applicationRef = withGroup(object.spec.applicationRef);
    const found = await ports.applications.find(applicationRef, namespace, { signal });
    if (!found.ok) {
      const { class: kind, reason, message } = found.error;
      return kind === "terminal"
        ? { type: "Failed", reason, message, intents: driver.stop?.(object) ?? [] }
        : { type: "Waiting", problem: found.error };
    }
    const { parameters = {}, driverState: state = {} } = object.status ?? {};
    const now = clock.now();
    const application = found.value;
    const what = { object, namespace, strategy, applicationRef, application, parameters };
    const work = { ...what, state, now, clock };
    const step = await driver.backup(work, signal);
    if (step.type !== "Succeeded" || (await recordBackup({ client, driver }, work, step, { signal })))
      return step;
    const message = `Backup ${object.metadata.name} is another's. Delete it, or give the BackupJob another name.`;
    return { type: "Failed", reason: "NameTaken", message, intents: step.intents ?? [] };
  };

  const restoreJob = async (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => {
    const object = caches.restoreJobs.get(key);
    const known = mine(object?.status?.strategyRef);
    if (!object || !known) return done;
    const target = { resource: restoreJobResource, object };
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const elsewhere = targetNamespaceOf(object);
    if (deletionTimestamp || object.status?.completedAt) {
      const intents = endOfRestoreJob(object, driver, isGoing);
      if (intents.length === 0) return done;
      return act<RestoreJob, OwnIntent>(room, target, { intents }, signal, own);
    }
    const step = await restoreStep(object, known, signal);
    const decision = decideDriven(object, step, clock.now());
    const crosses = elsewhere !== object.metadata.namespace && driver.leftIn !== undefined;
    const hold =
      step.type === "Running" && crosses && !finalizers.includes(RUNNING)
        ? [{ type: "Hold", finalizer: RUNNING, labels: {} } as const]
        : [];
    const intents = [...hold, ...decision.intents];
    return act<RestoreJob, OwnIntent>(room, target, { ...decision, intents }, signal, own);
  };

  const restoreStep = async (
    object: RestoreJob,
    { strategy, text }: NonNullable<ReturnType<typeof mine>>,
    signal: AbortSignal,
  ): Promise<Step> => {
    // Whoever named the strategy, and whatever the namespace said then: nothing is written there without its consent.
    const forbidden = restoreProblem(object, around, room.settings.guarded ?? false);
    if (forbidden) return { type: "Waiting", problem: forbidden };
    if (!strategy) return missing(text);
    const { namespace = "" } = object.metadata;
    const { name } = object.spec.backupRef;
    const backup = caches.backups.get(keyOf({ namespace, name }));
    if (!backup || backup.metadata.deletionTimestamp) {
      const message = `Backup ${name} was deleted meanwhile.`;
      return { type: "Failed", reason: "BackupNotFound", message, intents: driver.stop?.(object) ?? [] };
    }
    const applicationRef = withGroup(object.spec.targetApplicationRef ?? backup.spec.applicationRef);
    const targetNamespace = targetNamespaceOf(object);
    const found = await ports.applications.find(applicationRef, targetNamespace, { signal });
    if (!found.ok && found.error.class !== "terminal") return { type: "Waiting", problem: found.error };
    const application = found.ok ? found.value : undefined;
    const { driverState: state = {} } = object.status ?? {};
    const parameters = backup.spec.driverMetadata ?? {};
    const now = clock.now();
    const target = { targetNamespace, applicationRef, application };
    const what = { object, namespace, strategy, ...target, parameters, backup };
    return driver.restore({ ...what, state, now, clock }, signal);
  };

  const backup = async (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => {
    const object = caches.backups.get(key);
    const known = mine(object?.spec.strategyRef);
    const { deletionTimestamp, finalizers = [], namespace = "" } = object?.metadata ?? {};
    if (!object || !known) return done;
    const target = { resource: backupResource, object };
    if (!deletionTimestamp) {
      if (!driver.gone || !isLookedAt(object)) return done;
      const gone = await driver.gone(object, signal);
      return act<Backup>(room, target, decideKept(object, gone, clock.now()), signal);
    }
    if (!finalizers.includes(ARTIFACT)) return done;
    const letGo = { type: "LetGo", finalizer: ARTIFACT } as const;
    if (isGoing(namespace)) return act(room, target, { intents: [letGo] }, signal);
    const now = clock.now();
    const { notBefore, ...state } = object.status?.driverState ?? {};
    if (notBefore !== undefined && Date.parse(notBefore) > now)
      return requeueAfter(Date.parse(notBefore) - now);
    const step = await driver.remove(
      {
        object,
        namespace,
        strategy: known.strategy,
        applicationRef: withGroup(object.spec.applicationRef),
        application: undefined,
        parameters: object.spec.driverMetadata ?? {},
        state,
        now,
        clock,
      },
      signal,
    );
    return act<Backup, OwnIntent>(room, target, decideRemoved(object, step, now), signal, own);
  };

  const controllers = {
    backupJobs: controllerOf(room, `cozystack-${driver.name}-backupjob`, backupJob).watch(caches.backupJobs),
    restoreJobs: controllerOf(room, `cozystack-${driver.name}-restorejob`, restoreJob).watch(
      caches.restoreJobs,
    ),
    backups: controllerOf(room, `cozystack-${driver.name}-backup`, backup).watch(caches.backups),
  };
  // A Backup that goes while it is restored ends the RestoreJob.
  controllers.restoreJobs.watch(caches.backups, {
    keys: ({ key }) => caches.restoreJobs.indexed(BY_BACKUP, key).map(keyOf),
  });
  controllers.restoreJobs.watch(caches.namespaces, {
    keys: ({ key }) => restoringInto(key, caches.restoreJobs.values()),
  });
  for (const { cache } of strategies) {
    controllers.backupJobs.watch(cache, { keys: () => unended(caches.backupJobs) });
    controllers.restoreJobs.watch(cache, { keys: () => unended(caches.restoreJobs) });
  }
  room.tasks.wake(controllers.backupJobs, backupJobResource);
  room.tasks.wake(controllers.restoreJobs, restoreJobResource);
  room.tasks.wake(controllers.backups, backupResource);
  return controllers;
}

function controllerOf(
  room: EngineRoom,
  name: string,
  reconcile: (key: ObjectKey, signal: AbortSignal) => Promise<Outcome>,
): Controller {
  return new Controller({ ...controllerPorts(room), name, concurrency: 4, reconcile });
}

function unended(cache: Cache<BackupJob> | Cache<RestoreJob>): readonly ObjectKey[] {
  return [...cache.values()].filter(({ status }) => !status?.completedAt).map(keyOf);
}
