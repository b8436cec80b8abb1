import { needsJob } from "../../../core/repository/slot.ts";
import { type Place, RANKS } from "../../../core/work/queue/place.ts";
import type { RunGate } from "../../../core/work/run_policy.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../../../core/work/run_record.ts";
import type { TaskDecision, TaskState } from "../../../core/work/task_decision.ts";
import { LABELS } from "../../../kinds/velero/labels.ts";
import { keyOf } from "../../../kube/object.ts";
import type { NodeAgentConfig } from "../node_agent_config.ts";
import type { VeleroPorts } from "../ports.ts";
import { noCredential } from "../repository/no_credential.ts";
import { storageOf } from "../repository/storage_of.ts";
import { exposureProblem } from "./exposure_problem.ts";
import { type DataPathView, isCancelled, phaseOf } from "./next_phase.ts";
import {
  type Exposed,
  isBackup,
  isLegacy,
  memoryOf,
  type PodVolume,
  repositoryTypeOf,
} from "./pod_volume.ts";
import { nodePool, podVolumeTask } from "./pod_volume_task.ts";
import { isClaimGone, isUnmounted, needsPod, prospectOf, volumeNamespaceOf } from "./readiness.ts";
import {
  claimIn,
  concurrencyOn,
  configIn,
  consents,
  inheritedIn,
  podOf,
  podsFolderOf,
  repositoryFor,
  surroundingsOf,
} from "./surroundings.ts";

/** What was found out of an object, and what is to be done with its run. */
export interface Step {
  readonly view: Pick<DataPathView, "readiness" | "task" | "emptied" | "forbidden" | "stranded">;
  readonly run?: RunRecord;
  readonly exposed?: Exposed;
  readonly decision?: TaskDecision;
  /** There is no repository, and no server that would make it. */
  readonly wantsRepository?: true;
  readonly wakeAt?: number;
}

/** Nothing tells of pods: they are looked at again after a tenth of the time that an object waits, within these bounds. */
const LOOK_AT_POD = { least: 2_000, most: 15_000 };
/** Until it is looked at again though no slot has become free. */
const LOOK_AT_QUEUE = 30_000;
const LOOK_AGAIN = 10_000;
/** As the engine room tries: what failed for a while is tried again. */
const POLICY = { backoffLimit: 2 };

/** Looks whether an object can be accepted, and asks for a slot on its node. */
export async function accept(ports: VeleroPorts, object: PodVolume, signal: AbortSignal): Promise<Step> {
  if (isCancelled(object)) return { view: {} };
  const { clock, preparing } = ports;
  const config = await configIn(ports, object.metadata.namespace ?? "", signal);
  const full = preparationFull(ports, config);
  if (full) return full;
  const seen = await surroundingsOf(ports, object, signal);
  const prospect = prospectOf(seen);
  if (!prospect.ok) {
    const readiness = prospect.error;
    const missing = readiness.type === "Wait" && seen.location && seen.repository.type === "Missing";
    return {
      view: { readiness },
      wakeAt: lookAtPod(object, clock.now()),
      ...(missing && !isLegacy(object) ? { wantsRepository: true } : {}),
    };
  }
  const { exposed } = prospect.value;
  const maxRuns = await concurrencyOn(ports, config, exposed.node, signal);
  // Others were looked at meanwhile. From here on nothing waits.
  const fullNow = preparationFull(ports, config);
  if (fullNow) return fullNow;
  const { run = FIRST_ATTEMPT } = memoryOf(object);
  const { gate, place } = slotOn(ports, object, { node: exposed.node, maxRuns, place: run.place });
  const record = { ...run, place };
  if (gate.open) {
    if (!isLegacy(object)) preparing.add(object.metadata.uid);
    return { view: { readiness: { type: "Ready", node: exposed.node } }, run: record, exposed };
  }
  const wakeAt = clock.now() + LOOK_AT_QUEUE;
  return { view: { readiness: { type: "Wait", message: gate.message } }, run: record, wakeAt };
}

/** Asks for a slot on a node. */
function slotOn(
  { queues }: Pick<VeleroPorts, "queues">,
  object: PodVolume,
  at: { readonly node: string; readonly maxRuns: number; readonly place: Place | undefined },
): { readonly gate: RunGate; readonly place: Place } {
  const { namespace, name } = object.spec.pod;
  const { place, running, waiting } = queues.ask({
    owner: object.metadata.uid,
    pool: nodePool(at.node),
    terms: { maxRuns: at.maxRuns, breaker: "Closed" },
    claimant: {
      rank: isBackup(object) ? RANKS.backup : RANKS.restore,
      tenant: `${namespace}/${name}`,
    },
    place: at.place,
  });
  if (place.seated) return { gate: { open: true }, place };
  const message = `Queued on node ${at.node}: ${running} running, ${waiting} waiting (limit ${at.maxRuns}).`;
  return { gate: { open: false, reason: "Queued", message, patience: LOOK_AT_QUEUE }, place };
}

function lookAtPod({ metadata }: PodVolume, now: number): number {
  const tenth = (now - Date.parse(metadata.creationTimestamp)) / 10;
  return now + Math.min(LOOK_AT_POD.most, Math.max(LOOK_AT_POD.least, tenth));
}

function preparationFull(ports: VeleroPorts, { prepareQueueLength }: NodeAgentConfig): Step | undefined {
  if (prepareQueueLength === undefined) return undefined;
  const { length } = exposing(ports);
  if (length < prepareQueueLength) return undefined;
  const message = `Queued: ${length} mover pods are being prepared (limit ${prepareQueueLength}).`;
  return {
    view: { readiness: { type: "Wait", message } },
    wakeAt: ports.clock.now() + LOOK_AT_POD.least,
  };
}

/**
 * Everything whose mover pod is being prepared, on any node: also what was accepted a moment ago, which the caches do not
 * show yet. Labels in namespaces without consent do not count.
 */
export function exposing(ports: Pick<VeleroPorts, "caches" | "own" | "preparing">): readonly PodVolume[] {
  const { backups, restores } = ports.caches;
  return [...backups.values(), ...restores.values()].filter(
    (object) =>
      (object.metadata.labels?.[LABELS.exposeOngoing] === "true" ||
        (ports.preparing.has(object.metadata.uid) && phaseOf(object) === "New")) &&
      consents(ports, object.metadata.namespace ?? ""),
  );
}

/** Looks at the run of an object. */
export async function follow(ports: VeleroPorts, object: PodVolume, signal: AbortSignal): Promise<Step> {
  const { exposed, run } = memoryOf(object);
  const { namespace = "" } = object.metadata;
  const location = ports.caches.locations.get(keyOf({ namespace, name: object.spec.backupStorageLocation }));
  const storage = location && storageOf(location, volumeNamespaceOf(object), repositoryTypeOf(object));
  const again = ports.clock.now() + LOOK_AGAIN;
  const kept = { ...(run ? { run } : {}), ...(exposed ? { exposed } : {}), wakeAt: again };
  const forbidden = exposed && exposureProblem(object, exposed, podsFolderOf(ports));
  if (forbidden !== undefined) return { view: { forbidden }, ...kept };
  if (!exposed) return { view: {}, ...kept };
  if (!storage?.ok) {
    const stranded =
      storage?.error ?? `BackupStorageLocation ${object.spec.backupStorageLocation} does not exist any more.`;
    return { view: { stranded }, ...kept };
  }
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
    fidelity: ports.own.fidelity,
  });
  const phase = phaseOf(object);
  // Every attempt asks anew: others of its node may have begun meanwhile.
  const { node } = exposed;
  const slot = needsJob(run ?? FIRST_ATTEMPT, ports.clock.now())
    ? slotOn(ports, object, {
        node,
        maxRuns: await concurrencyOn(ports, config, node, signal),
        place: run?.place,
      })
    : {};
  const decision = await ports.tasks.decide(
    {
      task,
      policy: POLICY,
      start: phase === "InProgress",
      cancel: phase === "Canceling",
      ...(run ? { record: run } : {}),
      ...slot,
    },
    { signal },
  );
  const uncredited = location && noCredential(location, decision.state);
  return {
    view: {
      task: decision.state,
      ...(await volumeTruth(ports, object, decision.state, signal)),
      ...(uncredited === undefined ? {} : { forbidden: uncredited }),
    },
    run: decision.record,
    exposed,
    decision,
  };
}

async function volumeTruth(
  ports: VeleroPorts,
  object: PodVolume,
  task: TaskState,
  signal: AbortSignal,
): Promise<Pick<DataPathView, "emptied" | "forbidden">> {
  const { exposed } = memoryOf(object);
  if (!exposed) return {};
  const { namespace, name } = object.spec.pod;
  const { claim } = exposed;
  if (
    claim &&
    task.phase === "Ended" &&
    isClaimGone(exposed, await claimIn(ports, object, claim.name, signal))
  )
    return { emptied: `PersistentVolumeClaim ${namespace}/${claim.name} was deleted` };
  if (!needsPod(object, task) || !isUnmounted(exposed, await podOf(ports, object, signal))) return {};
  const went = `Pod ${namespace}/${name} ended or was deleted`;
  if (task.phase === "Ended") return { emptied: went };
  return { forbidden: `${went} before the mover had its volume ${object.spec.volume}.` };
}
