import { endRunsOf } from "../../../core/work/end_runs.ts";
import { POD_VOLUME } from "../../../kinds/velero/finalizers.ts";
import { LABELS } from "../../../kinds/velero/labels.ts";
import { isFinal } from "../../../kinds/velero/phases.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { Failure } from "../../../kube/failure.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { isForeignWork } from "../foreign_agent.ts";
import type { VeleroPorts } from "../ports.ts";
import { createRepository } from "../repository/create_repository.ts";
import { rememberGone } from "../repository/purge_repository.ts";
import { type Written, writeTogether, writtenOf } from "../write_together.ts";
import { dataPathEvent } from "./data_path_event.ts";
import { marksOf } from "./left_behind.ts";
import { isCancelled, type NextPhase, nextPhase, phaseOf, prepareDeadline } from "./next_phase.ts";
import {
  isBackup,
  isLegacy,
  MEMORY_ANNOTATION,
  type Memory,
  memoryOf,
  type PodVolume,
} from "./pod_volume.ts";
import { VOLUME_PATH } from "./pod_volume_task.ts";
import { accept, follow, type Step } from "./step.ts";
import { CONSENT_ANNOTATION, consents } from "./surroundings.ts";

/** Nothing tells that another agent is gone. */
const LOOK_AT_FOREIGN = 60_000;

/** One of the two kinds. */
export interface PodVolumeKind {
  readonly resource: Resource<PodVolume>;
  readonly cache: Cache<PodVolume>;
}

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
  // Before anything else: what is said in an object counts only where movers may be root.
  if (!consents(ports, object.metadata.namespace ?? "")) return leaveAlone(ports, resource, object, signal);
  ports.leftAlone.delete(object.metadata.namespace ?? "");
  if (isFinal(object.status?.phase)) return release(ports, resource, object, signal);
  const memory = memoryOf(object);
  const phase = phaseOf(object);
  if (phase !== "New") ports.preparing.delete(object.metadata.uid);
  const foreign = phase !== "New" && !memory.exposed && !isCancelled(object);
  const orphaned = foreign && !(await isForeignWork(ports.client, object, signal));
  // What another agent has accepted is its own, as long as nobody wants it to end, and it is prepared in time.
  if (foreign && !orphaned) {
    const wait = prepareDeadline(object) - ports.clock.now();
    if (phase === "InProgress" || !(wait <= 0)) return requeueAfter(LOOK_AT_FOREIGN);
  }
  const step = orphaned
    ? { view: { forbidden: orphanedText(object) } }
    : await (phase === "New" ? accept : follow)(ports, object, signal);
  const abandoned = phase !== "New" && isLegacy(object) && !ports.begun.has(object.metadata.uid);
  const next = nextPhase({ object, memory, abandoned, now: ports.clock.now(), ...step.view });
  const wanted = wantedOf(object, next, step);
  const written = await writeTogether(ports.client, resource, object, wanted, signal);
  noteGone(ports, object, wanted);
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

/**
 * Another Velero may have a node agent of its own there, so nothing is written; but what was accepted here, before the
 * namespace took its consent back, ends.
 */
async function leaveAlone(
  ports: VeleroPorts,
  resource: Resource<PodVolume>,
  object: PodVolume,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, clock, log, leftAlone, begun } = ports;
  const { namespace = "", uid } = object.metadata;
  const phase = phaseOf(object);
  const why = `Namespace ${namespace} does not let movers read and write the volumes of pods. Create the object in the namespace of Velero, or annotate this one with ${CONSENT_ANNOTATION}=true.`;
  if (!leftAlone.has(namespace)) {
    leftAlone.add(namespace);
    log.info({ kind: object.kind, key: keyOf(object) }, `${why} Its objects are left alone.`);
  }
  const memory = memoryOf(object);
  if (phase === "New" || isFinal(phase) || !memory.exposed) return done;
  const next = nextPhase({ object, memory, forbidden: why, now: clock.now() });
  await endRunsOf(client, object, { signal });
  const wanted = wantedOf(object, { ...next, held: false }, { view: {} });
  tell(ports, phase, await writeTogether(client, resource, object, wanted, signal));
  noteGone(ports, object, wanted);
  begun.delete(uid);
  return done;
}

function orphanedText(object: PodVolume): string {
  const then = isBackup(object) ? "Back the pod up again." : "Restore the backup again.";
  return `Velero's node agent, which had begun it, is gone, and nothing else can go on with it. ${then}`;
}

/** An object that is being deleted goes with its last write, and nobody else has seen what that says. */
function noteGone(ports: VeleroPorts, object: PodVolume, { annotations, status }: Written): void {
  if (!object.metadata.deletionTimestamp || !isBackup(object)) return;
  const last = { ...object, metadata: { ...object.metadata, annotations }, status };
  for (const key of rememberGone(ports, last)) ports.wakeRepository(key);
}

/**
 * Nothing is left of what has ended, and it may go: also where another agent left it so, or an operator that wrote the end
 * did not live to end the runs.
 */
async function release(
  { client, tasks }: VeleroPorts,
  resource: Resource<PodVolume>,
  object: PodVolume,
  signal: AbortSignal,
): Promise<Outcome> {
  const next = nextPhase({ object, now: 0 });
  const wanted = wantedOf(object, next, { view: {} });
  const held = writtenOf(object).finalizers.includes(POD_VOLUME);
  if (held || tasks.forgotten(object, {}).length > 0) await endRunsOf(client, object, { signal });
  await writeTogether(client, resource, object, wanted, signal);
  return done;
}

/** The object as it should be, with what is remembered of it. */
function wantedOf(object: PodVolume, next: NextPhase, { run, exposed, view }: Step): Written {
  const { labels, annotations, finalizers } = writtenOf(object);
  const { [LABELS.exposeOngoing]: _, ...otherLabels } = labels;
  const { [MEMORY_ANNOTATION]: __, ...otherAnnotations } = annotations;
  const others = finalizers.filter((one) => one !== POD_VOLUME);
  const mayHold = next.held && (finalizers.includes(POD_VOLUME) || !object.metadata.deletionTimestamp);
  const { cancelingSince, strandedSince, progressAt } = next;
  const said = next.status.message;
  const memory: Memory = {
    ...(exposed ? { exposed } : {}),
    ...(run ? { run } : {}),
    ...(cancelingSince ? { cancelingSince } : {}),
    ...(strandedSince ? { strandedSince } : {}),
    ...(progressAt ? { progressAt } : {}),
    ...(said === undefined ? {} : { said }),
  };
  const over = isFinal(next.status.phase);
  return {
    labels: next.exposing ? { ...otherLabels, [LABELS.exposeOngoing]: "true" } : otherLabels,
    annotations: over
      ? {
          ...otherAnnotations,
          ...marksOf({ object, status: next.status, task: view.task, run: run ?? memoryOf(object).run }),
        }
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
