import { isConflict } from "../../kube/api_error.ts";
import type { CallOptions, Patch } from "../../kube/client.ts";
import { done, type Outcome, requeueAfter } from "../../kube/controller/controller.ts";
import { Failure } from "../../kube/failure.ts";
import { type Draft, groupOf, type KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Condition } from "../../kube/write/conditions.ts";
import type { Slot } from "../policy/schedule_decision.ts";
import { explain } from "../reconcile/act.ts";
import { annotationOf } from "../reconcile/annotations.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { writeFitted } from "../reconcile/fitted_status.ts";
import { look } from "../volumes/staging/look.ts";
import { decideScheduledRuns, type ObservedSchedule, type ScheduledDecision } from "./decide_schedule.ts";
import { makeBackup } from "./make_backup.ts";
import type { ScheduleState } from "./schedule_object.ts";

type Kept = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/** What an API says of its schedules, and of the backups that they make. */
export interface ScheduleApi<S extends Kept, B extends KubeObject> {
  readonly schedules: Resource<S>;
  readonly backups: Resource<B>;
  /** The backups of a schedule, as the caches know them, and perhaps others. */
  backupsOf(schedule: S): readonly B[];
  observe(schedule: S, backups: readonly B[]): ObservedSchedule<B>;
  /** The state as the schedule's status has it. Default: as it is. */
  statusOf?(schedule: S, state: ScheduleState): object;
  /** The backup of a slot, under the slot's name. */
  draft(schedule: S, slot: Slot): Draft<B>;
  /** Whether this schedule made the backup for the slot. */
  isOf(backup: B, schedule: S, slot: number): boolean;
  /** Deletes a failed backup that is one too many. */
  prune(backup: B, call: CallOptions): Promise<void>;
}

type Ports = Pick<EngineRoom, "client" | "events" | "clock" | "reported">;

/** Does what a schedule has to do now. What is made is decided on what the API server holds, not on the caches. */
export async function reconcileSchedule<S extends Kept, B extends KubeObject>(
  ports: Ports,
  api: ScheduleApi<S, B>,
  seen: S,
  signal: AbortSignal,
): Promise<Outcome> {
  let scene = sceneOf(seen, api.observe(seen, api.backupsOf(seen)));
  if (scene.decision.fire) {
    const closer = await lookCloser(ports, api, seen, signal);
    if (!closer) return done;
    scene = closer;
  }
  const made: B[] = [];
  try {
    return await carryOut(ports, api, scene, signal, (backup) => made.push(backup));
  } catch (error) {
    if (made.length === 0 || !isConflict(error)) throw error;
  }
  // Somebody else has written meanwhile, who could not know of it: it is counted before it can be gone.
  const closer = await lookCloser(ports, api, seen, signal, made);
  return closer ? carryOut(ports, api, closer, signal) : done;
}

interface Scene<S, B extends KubeObject> {
  readonly object: S;
  readonly observed: ObservedSchedule<B>;
  readonly decision: ScheduledDecision<B>;
}

function sceneOf<S, B extends KubeObject>(object: S, observed: ObservedSchedule<B>): Scene<S, B> {
  return { object, observed, decision: decideScheduledRuns(observed) };
}

/**
 * What is true now, where caches may be behind: how far the schedule has come, and what became of the backup that it made
 * last. Without it a slot whose backup is gone already could be made again, or two backups run where one may.
 */
async function lookCloser<S extends Kept, B extends KubeObject>(
  { client }: Ports,
  api: ScheduleApi<S, B>,
  { metadata }: S,
  signal: AbortSignal,
  made: readonly B[] = [],
): Promise<Scene<S, B> | undefined> {
  const object = await look(client, api.schedules, metadata, { signal });
  if (!object || object.metadata.deletionTimestamp) return undefined;
  const cached = api.backupsOf(object);
  const unseen = made.filter(({ metadata: { uid } }) => cached.every((one) => one.metadata.uid !== uid));
  const backups = [...cached, ...unseen];
  const observed = api.observe(object, backups);
  const name = observed.schedule.status?.lastSchedule?.backupRef?.name;
  const isThere = name === undefined || backups.some((backup) => backup.metadata.name === name);
  const last = isThere ? undefined : await look(client, api.backups, { ...metadata, name }, { signal });
  return sceneOf(object, last ? api.observe(object, [...backups, last]) : observed);
}

/**
 * Carries a decision out. The backup is made before the status says so: a crash in between leaves a slot that is found to
 * be made, and never one that nobody makes.
 */
async function carryOut<S extends Kept, B extends KubeObject>(
  ports: Ports,
  api: ScheduleApi<S, B>,
  { object, observed, decision }: Scene<S, B>,
  signal: AbortSignal,
  onMade: (backup: B) => void = () => {},
): Promise<Outcome> {
  const { client, events, clock } = ports;
  const { schedules: resource } = api;
  const { fire, status, wakeAt } = decision;
  try {
    for (const backup of decision.cancel) await cancel(ports, api.backups, backup, signal);
    const made =
      fire &&
      (await makeBackup(
        client,
        {
          resource: api.backups,
          draft: api.draft(object, fire),
          isSame: (found) => api.isOf(found, object, fire.slot),
        },
        { signal },
      ));
    if (made === "Taken" && !observed.nameTaken) {
      return carryOut(ports, api, sceneOf(object, { ...observed, nameTaken: true }), signal, onMade);
    }
    if (made && made !== "Made" && made !== "Taken") onMade(made);
  } catch (error) {
    if (error instanceof Failure) await explain(ports, { resource, object }, error, signal);
    throw error;
  }
  const written = api.statusOf?.(object, status) ?? status;
  await writeFitted(client, { resource, object, status: written }, { signal });
  for (const note of decision.events) events.event(object, note);
  for (const backup of decision.prune) await api.prune(backup, { signal });
  return wakeAt === undefined ? done : requeueAfter(Math.max(0, wakeAt - clock.now()));
}

/** Ends a backup as people would. One that has ended meanwhile is left alone. */
async function cancel<B extends KubeObject>(
  { client }: Ports,
  resource: Resource<B>,
  backup: B,
  signal: AbortSignal,
): Promise<void> {
  if (annotationOf(backup, "cancel") === "true") return;
  const { metadata } = backup;
  const annotations = { [`${groupOf(backup)}/cancel`]: "true" };
  const patch = { metadata: { resourceVersion: metadata.resourceVersion, annotations } };
  await client.patch(resource, metadata, { type: "merge", patch } as unknown as Patch<B>, { signal });
}
