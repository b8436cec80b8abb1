import type { PodCondition } from "kubernetes-types/core/v1.d.ts";
import { isNotFound } from "../../../kube/api_error.ts";
import { PersistentVolumeClaims, type Pod, Pods, StorageClasses } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey } from "../../../kube/object.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { NodePorts } from "../node_ports.ts";
import type { Claim } from "../objects.ts";
import { ephemeralName, isForeign } from "../volumes/ephemeral_claims.ts";
import { SELECTED_NODE } from "../volumes/names.ts";

export interface SchedulerOptions extends NodePorts {
  readonly pods: Cache<Pod>;
  readonly claims: Cache<Claim>;
  readonly nodeLabels: Readonly<Record<string, string>>;
}

/** Until a pod that fits nowhere is looked at again; changes of its claims come sooner. */
const LOOK_AGAIN = 10_000;

/** Why a pod cannot be placed, in the scheduler's words. */
class Unschedulable extends Error {
  override name = "Unschedulable";
}

/** Assigns pods to the one node that there is, once what they need is there. */
export class Scheduler {
  readonly controller: Controller;
  readonly #options: SchedulerOptions;

  constructor(options: SchedulerOptions) {
    const { pods, claims } = options;
    this.#options = options;
    this.controller = new Controller({
      ...options,
      name: "scheduler",
      reconcile: (key, signal) => this.#reconcile(key, signal),
    })
      .watch(pods, { when: (change) => change.type !== "removed" && !change.object.spec?.nodeName })
      .watch(claims, { keys: ({ key }) => this.#waitingFor(key) });
  }

  *#waitingFor(claim: ObjectKey): Iterable<ObjectKey> {
    for (const pod of this.#options.pods.values()) {
      if (!pod.spec?.nodeName && claimsOf(pod).some((name) => keyOf({ ...pod.metadata, name }) === claim)) {
        yield keyOf(pod);
      }
    }
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client, pods, events, nodeName } = this.#options;
    const pod = pods.get(key);
    if (!pod || pod.spec?.nodeName || pod.status?.phase === "Failed") return done;
    if (pod.metadata.deletionTimestamp) return this.#bury(pod, signal);
    try {
      const waits = await this.#check(pod, signal);
      if (waits) return done;
      const patch = { metadata: { resourceVersion: pod.metadata.resourceVersion }, spec: { nodeName } };
      await client.patch(Pods, pod.metadata, { type: "merge", patch }, { signal });
      const message = `Successfully assigned ${key} to ${nodeName}`;
      events.event(pod, { type: "Normal", reason: "Scheduled", message });
      return done;
    } catch (error) {
      if (!(error instanceof Unschedulable)) throw error;
      const message = `0/1 nodes are available: ${error.message}`;
      events.event(pod, { type: "Warning", reason: "FailedScheduling", message });
      await this.#tell(pod, message, signal);
      return requeueAfter(LOOK_AGAIN);
    }
  }

  /** No node will report the end of a pod that never had one. */
  async #bury(pod: Pod, signal: AbortSignal): Promise<Outcome> {
    const status = { ...pod.status, phase: "Failed" };
    await writeStatus(this.#options.client, { resource: Pods, object: pod, status }, { signal });
    return done;
  }

  /** True when a claim was told where its consumer goes, and is still to be bound. */
  async #check(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const { nodeLabels } = this.#options;
    const wanted = Object.entries(pod.spec?.nodeSelector ?? {});
    if (wanted.some(([label, value]) => nodeLabels[label] !== value)) {
      throw new Unschedulable("1 node(s) didn't match Pod's node affinity/selector.");
    }
    let waits = false;
    for (const name of claimsOf(pod)) {
      if (!(await this.#checkClaim(pod, name, signal))) waits = true;
    }
    return waits;
  }

  /** True when the claim is bound. */
  async #checkClaim(pod: Pod, name: string, signal: AbortSignal): Promise<boolean> {
    const { client, nodeName, pods } = this.#options;
    const at = { namespace: pod.metadata.namespace, name };
    const claim = await client.get(PersistentVolumeClaims, at, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) throw new Unschedulable(`persistentvolumeclaim "${name}" not found. not found`);
      throw error;
    });
    if (claim.metadata.deletionTimestamp) {
      throw new Unschedulable(`persistentvolumeclaim "${name}" is being deleted. not found`);
    }
    if (isForeign(pod, claim)) {
      const why = `PVC "${keyOf(claim)}" was not created for pod "${keyOf(pod)}" (pod is not owner).`;
      throw new Unschedulable(`${why} not found`);
    }
    if (claim.status?.phase === "Lost") {
      throw new Unschedulable(`persistentvolumeclaim "${name}" bound to non-existent persistentvolume.`);
    }
    if (claim.spec?.accessModes?.includes("ReadWriteOncePod") && inUse(pods, claim)) {
      throw new Unschedulable(
        "1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.",
      );
    }
    if (claim.status?.phase === "Bound") return true;
    const { storageClassName } = claim.spec ?? {};
    const storageClass = storageClassName
      ? await client.get(StorageClasses, { name: storageClassName }, { signal }).catch(() => undefined)
      : undefined;
    if (storageClass?.volumeBindingMode !== "WaitForFirstConsumer") {
      throw new Unschedulable("pod has unbound immediate PersistentVolumeClaims. not found");
    }
    if (claim.metadata.annotations?.[SELECTED_NODE] !== nodeName) {
      const patch = { metadata: { annotations: { [SELECTED_NODE]: nodeName } } };
      await client.patch(PersistentVolumeClaims, at, { type: "merge", patch }, { signal });
    }
    return false;
  }

  async #tell(pod: Pod, message: string, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    const condition: PodCondition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime: (before?.status === "False" && before.lastTransitionTime) || timestamp(clock.now()),
    };
    const others = (pod.status?.conditions ?? []).filter((other) => other !== before);
    const status = { ...pod.status, conditions: [...others, condition] };
    await writeStatus(client, { resource: Pods, object: pod, status }, { signal });
  }
}

/** The names of the claims that a pod mounts. */
export function claimsOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap(
    ({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim?.claimName ?? (ephemeral ? ephemeralName(pod, name) : []),
  );
}

function inUse(pods: Cache<Pod>, { metadata }: Claim): boolean {
  return [...pods.values()].some(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      pod.spec?.nodeName &&
      !["Succeeded", "Failed"].includes(pod.status?.phase ?? "") &&
      claimsOf(pod).includes(metadata.name),
  );
}
