import { endRunsOf } from "../../../core/work/end_runs.ts";
import { RANKS } from "../../../core/work/queue/place.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../../../core/work/run_record.ts";
import type { TaskDecision } from "../../../core/work/task_decision.ts";
import { POD_VOLUME } from "../../../kinds/velero/finalizers.ts";
import { LABELS } from "../../../kinds/velero/labels.ts";
import { isFinal } from "../../../kinds/velero/phases.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { Failure } from "../../../kube/failure.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { VeleroPorts } from "../ports.ts";
import { createRepository } from "../repository/create_repository.ts";
import { storageOf } from "../repository/storage_of.ts";
import { type Written, writeTogether, writtenOf } from "../write_together.ts";
import { dataPathEvent } from "./data_path_event.ts";
import {
  type DataPathView,
  isCancelled,
  type NextPhase,
  nextPhase,
  phaseOf,
  prepareDeadline,
} from "./next_phase.ts";
import {
  type Exposed,
  isBackup,
  isLegacy,
  MEMORY_ANNOTATION,
  type Memory,
  memoryOf,
  type PodVolume,
  repositoryTypeOf,
} from "./pod_volume.ts";
import { nodePool, podVolumeTask, VOLUME_PATH } from "./pod_volume_task.ts";
import { isEmptied, prospectOf, volumeNamespaceOf } from "./readiness.ts";
import {
  concurrencyOn,
  configIn,
  inheritedIn,
  podOf,
  repositoryFor,
  surroundingsOf,
} from "./surroundings.ts";

/** One of the two kinds. */
export interface PodVolumeKind {
  readonly resource: Resource<PodVolume>;
  readonly cache: Cache<PodVolume>;
}

/** What was found out of an object, and what is to be done with its run. */
interface Step {
  readonly view: Pick<DataPathView, "readiness" | "task" | "emptied">;
  readonly run?: RunRecord;
  readonly exposed?: Exposed;
  readonly decision?: TaskDecision;
  /** There is no repository, and no server that would make it. */
  readonly wantsRepository?: true;
  readonly wakeAt?: number;
}

/** Pods are looked at again after this long, as nothing tells of them. */
const LOOK_AT_POD = 2_000;
const LOOK_AGAIN = 10_000;
/** As the engine room tries: what failed for a while is tried again. */
const POLICY = { backoffLimit: 2 };

/** Takes a backup or a restore of a pod's volume a step further. */
export async function reconcilePodVolume(
  ports: VeleroPorts,
  { resource, cache }: PodVolumeKind,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Outcome> {
  const object = cache.get(key);
  // The CRD of a Velero server lets an object have no spec: then nothing is asked for.
  if (!object?.spec) return done;
  if (isFinal(object.status?.phase)) return release(ports, resource, object, signal);
  const memory = memoryOf(object);
  const phase = phaseOf(object);
  // What another agent has accepted is its own, as long as nobody wants it to end, and it is prepared in time.
  if (phase !== "New" && !memory.exposed && !isCancelled(object)) {
    const wait = prepareDeadline(object) - ports.clock.now();
    if (phase === "InProgress" || Number.isNaN(wait)) return done;
    if (wait > 0) return requeueAfter(wait);
  }
  const step = phase === "New" ? await accept(ports, object, signal) : await follow(ports, object, signal);
  const abandoned = phase !== "New" && isLegacy(object) && !ports.begun.has(object.metadata.uid);
  const next = nextPhase({ object, memory, abandoned, now: ports.clock.now(), ...step.view });
  const written = await writeTogether(ports.client, resource, object, wantedOf(object, next, step), signal);
  if (isLegacy(object) && next.status.phase === "InProgress") ports.begun.add(object.metadata.uid);
  if (isFinal(next.status.phase)) ports.begun.delete(object.metadata.uid);
  tell(ports, phase, written);
  try {
    if (next.endRuns) await endRunsOf(ports.client, object, { signal });
    else if (step.decision) await ports.tasks.carryOut(step.decision, { signal });
    if (step.wantsRepository) await createRepository(ports, object, signal);
  } catch (error) {
    if (error instanceof Failure) await explain(ports, resource, written, error, signal);
    throw error;
  }
  const wakes = [next.wakeAt, step.wakeAt, step.decision?.wakeAt].filter((at) => at !== undefined);
  return wakes.length === 0 ? done : requeueAfter(Math.max(0, Math.min(...wakes) - ports.clock.now()));
}

/** Nothing is left of what has ended, and it may go: also where another agent left it so. */
async function release(
  { client }: VeleroPorts,
  resource: Resource<PodVolume>,
  object: PodVolume,
  signal: AbortSignal,
): Promise<Outcome> {
  const next = nextPhase({ object, now: 0 });
  const wanted = wantedOf(object, next, { view: {} });
  if (writtenOf(object).finalizers.includes(POD_VOLUME)) await endRunsOf(client, object, { signal });
  await writeTogether(client, resource, object, wanted, signal);
  return done;
}

async function accept(ports: VeleroPorts, object: PodVolume, signal: AbortSignal): Promise<Step> {
  if (isCancelled(object)) return { view: {} };
  const { clock, queues } = ports;
  const seen = await surroundingsOf(ports, object, signal);
  const prospect = prospectOf(seen);
  if (!prospect.ok) {
    const readiness = prospect.error;
    if (!seen.consent) return { view: { readiness } };
    const missing = readiness.type === "Wait" && seen.location && seen.repository.type === "Missing";
    return {
      view: { readiness },
      wakeAt: clock.now() + LOOK_AT_POD,
      ...(missing && !isLegacy(object) ? { wantsRepository: true } : {}),
    };
  }
  const { exposed } = prospect.value;
  const config = await configIn(ports, object.metadata.namespace ?? "", signal);
  const preparing = exposing(ports).length;
  if (config.prepareQueueLength !== undefined && preparing >= config.prepareQueueLength) {
    const message = `Queued: ${preparing} mover pods are being prepared (limit ${config.prepareQueueLength}).`;
    return { view: { readiness: { type: "Wait", message } }, wakeAt: clock.now() + LOOK_AT_POD };
  }
  const maxRuns = await concurrencyOn(ports, config, exposed.node, signal);
  const { run = FIRST_ATTEMPT } = memoryOf(object);
  const { place, running, waiting } = queues.ask({
    owner: object.metadata.uid,
    pool: nodePool(exposed.node),
    terms: { maxRuns, breaker: "Closed" },
    claimant: {
      rank: isBackup(object) ? RANKS.backup : RANKS.restore,
      tenant: `${object.spec.pod.namespace}/${object.spec.pod.name}`,
    },
    place: run.place,
  });
  const record = { ...run, place };
  if (place.seated)
    return { view: { readiness: { type: "Ready", node: exposed.node } }, run: record, exposed };
  const message = `Queued on node ${exposed.node}: ${running} running, ${waiting} waiting (limit ${maxRuns}).`;
  return { view: { readiness: { type: "Wait", message } }, run: record, wakeAt: clock.now() + LOOK_AGAIN };
}

/** Everything whose mover pod is being prepared, on any node. */
function exposing({ caches }: VeleroPorts): readonly PodVolume[] {
  return [...caches.backups.values(), ...caches.restores.values()].filter(
    ({ metadata }) => metadata.labels?.[LABELS.exposeOngoing] === "true",
  );
}

async function follow(ports: VeleroPorts, object: PodVolume, signal: AbortSignal): Promise<Step> {
  const { exposed, run } = memoryOf(object);
  const { namespace = "" } = object.metadata;
  const location = ports.caches.locations.get(keyOf({ namespace, name: object.spec.backupStorageLocation }));
  const storage = location && storageOf(location, volumeNamespaceOf(object), repositoryTypeOf(object));
  const again = ports.clock.now() + LOOK_AGAIN;
  const kept = { ...(run ? { run } : {}), ...(exposed ? { exposed } : {}), wakeAt: again };
  if (!exposed || !storage?.ok) return { view: {}, ...kept };
  const config = await configIn(ports, namespace, signal);
  const inherited = await inheritedIn(ports, namespace, signal);
  const repository = repositoryFor(ports, object);
  const task = podVolumeTask({
    object,
    exposed,
    storage: storage.value,
    repository: repository.type === "Found" ? repository.object : undefined,
    config,
    inherited,
    settings: ports.settings,
  });
  const phase = phaseOf(object);
  const decision = await ports.tasks.decide(
    {
      task,
      policy: POLICY,
      start: phase === "InProgress",
      cancel: phase === "Canceling",
      ...(run ? { record: run } : {}),
      ...(run?.place ? { place: run.place } : {}),
    },
    { signal },
  );
  const emptied = isBackup(object) && decision.state.phase === "Ended" && exposed.goesWithPod;
  const pod = emptied ? await podOf(ports, object, signal) : undefined;
  return {
    view: { task: decision.state, ...(emptied ? { emptied: isEmptied(exposed, pod) } : {}) },
    run: decision.record,
    exposed,
    decision,
  };
}

/** The object as it should be, with what is remembered of it. */
function wantedOf(object: PodVolume, next: NextPhase, { run, exposed }: Step): Written {
  const { labels, annotations, finalizers } = writtenOf(object);
  const { [LABELS.exposeOngoing]: _, ...otherLabels } = labels;
  const { [MEMORY_ANNOTATION]: __, ...otherAnnotations } = annotations;
  const others = finalizers.filter((one) => one !== POD_VOLUME);
  const mayHold = next.held && (finalizers.includes(POD_VOLUME) || !object.metadata.deletionTimestamp);
  const { cancelingSince, progressAt } = next;
  const said = next.status.message;
  const memory: Memory = {
    ...(exposed ? { exposed } : {}),
    ...(run ? { run } : {}),
    ...(cancelingSince ? { cancelingSince } : {}),
    ...(progressAt ? { progressAt } : {}),
    ...(said === undefined ? {} : { said }),
  };
  const over = isFinal(next.status.phase);
  return {
    labels: next.exposing ? { ...otherLabels, [LABELS.exposeOngoing]: "true" } : otherLabels,
    annotations: over
      ? otherAnnotations
      : { ...otherAnnotations, [MEMORY_ANNOTATION]: JSON.stringify(memory) },
    finalizers: mayHold ? [...others, POD_VOLUME] : others,
    status:
      isBackup(object) && next.status.phase === "InProgress"
        ? { ...next.status, path: VOLUME_PATH }
        : next.status,
  };
}

function tell({ events, log }: VeleroPorts, before: string, object: PodVolume): void {
  const event = dataPathEvent(before, object);
  if (!event) return;
  events.event(object, event);
  const { type, reason, message } = event;
  if (type === "Warning") log.warn({ kind: object.kind, key: keyOf(object), reason }, message);
}

/** What could not be done shows on the object. */
async function explain(
  { client }: VeleroPorts,
  resource: Resource<PodVolume>,
  object: PodVolume,
  { message }: Failure,
  signal: AbortSignal,
): Promise<void> {
  if (isFinal(object.status?.phase)) return;
  const present = writtenOf(object);
  const memory = JSON.stringify({ ...memoryOf(object), said: message });
  const wanted = {
    ...present,
    annotations: { ...present.annotations, [MEMORY_ANNOTATION]: memory },
    status: { ...present.status, message },
  };
  await writeTogether(client, resource, object, wanted, signal);
}
