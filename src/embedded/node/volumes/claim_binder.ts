import {
  PersistentVolumeClaims,
  PersistentVolumes,
  type Pod,
  Pods,
  StorageClasses,
} from "../../../kube/builtin.ts";
import { type Cache, lastSeen } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome, requeueAfter } from "../../../kube/controller/controller.ts";
import { keyOf, type ObjectKey, parseKey } from "../../../kube/object.ts";
import { addFinalizer, removeFinalizer } from "../../../kube/write/finalizers.ts";
import { writeStatus } from "../../../kube/write/status.ts";
import { compareQuantities } from "../../kinds/quantity.ts";
import { find } from "../find.ts";
import type { Claim, StorageClass, Volume } from "../objects.ts";
import { claimsOf } from "../pods/scheduler.ts";
import { isReservedFor, mismatch } from "./claim_match.ts";
import * as names from "./names.ts";
import {
  normal,
  type Provisioned,
  Provisioner,
  type ProvisionerOptions,
  refTo,
  warning,
} from "./provisioner.ts";

export interface ClaimBinderOptions extends ProvisionerOptions {
  readonly claims: Cache<Claim>;
  readonly volumes: Cache<Volume>;
  readonly pods: Cache<Pod>;
}

/** Until something that a claim waits for is looked for again. */
const LOOK_AGAIN = 2_000;
/** A copy takes as long as it takes. */
const LONGEST_COPY = 24 * 3_600_000;

/** Finds or makes the volumes that claims ask for, and binds them. */
export class ClaimBinder {
  readonly controller: Controller;
  readonly #options: ClaimBinderOptions;
  readonly #provisioner: Provisioner;

  constructor(options: ClaimBinderOptions) {
    const { claims, volumes, pods } = options;
    this.#options = options;
    this.#provisioner = new Provisioner(options);
    this.controller = new Controller({
      ...options,
      name: "claims",
      concurrency: 4,
      deadline: LONGEST_COPY,
      reconcile: (key, signal) => this.#reconcile(key, signal),
    })
      .watch(claims)
      .watch(volumes, {
        keys: (change) => this.#claimsConcerned(lastSeen(change)),
      })
      .watch(pods, {
        when: ({ type }) => type === "removed",
        keys: (change) => (change.type === "removed" ? claimKeys(change.previous) : []),
      });
  }

  /** The claim that a volume is reserved for, and those that say they have it. */
  *#claimsConcerned({ metadata, spec }: Volume): Iterable<ObjectKey> {
    const { namespace, name } = spec?.claimRef ?? {};
    if (name) yield keyOf({ namespace, name });
    for (const claim of this.#options.claims.values()) {
      if (claim.spec?.volumeName === metadata.name) yield keyOf(claim);
    }
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const claim = await find(this.#options.client, PersistentVolumeClaims, parseKey(key), signal);
    if (!claim) return done;
    if (claim.metadata.deletionTimestamp) return this.#release(claim, signal);
    const change = { resource: PersistentVolumeClaims, object: claim, finalizer: names.CLAIM_PROTECTION };
    const held = await addFinalizer(this.#options.client, change, { signal });
    if (held.metadata.annotations?.[names.BIND_COMPLETED]) return this.#keepBound(held, signal);
    return this.#findVolume(held, signal);
  }

  /** A claim goes when no pod names it any more, not even one that has ended. */
  async #release(claim: Claim, signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#options;
    const { namespace, name } = claim.metadata;
    const { items } = await client.list(Pods, { signal, ...(namespace === undefined ? {} : { namespace }) });
    if (items.some((pod) => pod.spec?.nodeName && claimsOf(pod).includes(name))) return done;
    const change = { resource: PersistentVolumeClaims, object: claim, finalizer: names.CLAIM_PROTECTION };
    await removeFinalizer(client, change, { signal });
    return done;
  }

  async #keepBound(claim: Claim, signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#options;
    const volume = await find(client, PersistentVolumes, { name: claim.spec?.volumeName ?? "" }, signal);
    if (!volume) {
      const message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
      return this.#lose(claim, "ClaimLost", message, signal);
    }
    if (!isReservedFor(volume, claim)) {
      const message = "Two claims are bound to the same volume, this one is bound incorrectly";
      return this.#lose(claim, "ClaimMisbound", message, signal);
    }
    await this.#bind(claim, await this.#expand(claim, volume, signal), signal);
    return done;
  }

  async #lose(claim: Claim, reason: string, message: string, signal: AbortSignal): Promise<Outcome> {
    if (claim.status?.phase !== "Lost")
      this.#options.events.event(claim, { type: "Warning", reason, message });
    await this.#write(claim, { phase: "Lost" }, signal);
    return done;
  }

  async #expand(claim: Claim, volume: Volume, signal: AbortSignal): Promise<Volume> {
    const { client, events } = this.#options;
    const storage = claim.spec?.resources?.requests?.storage;
    if (!storage || compareQuantities(storage, volume.spec?.capacity?.storage) <= 0) return volume;
    const storageClass = await this.#classOf(claim, signal);
    if (!storageClass?.allowVolumeExpansion || volume.spec?.csi?.driver !== names.DRIVER) return volume;
    const growth = { type: "merge", patch: { spec: { capacity: { storage } } } } as const;
    const grown = await client.patch(PersistentVolumes, volume.metadata, growth, { signal });
    const message = `The volume has ${storage} now`;
    events.event(claim, { type: "Normal", reason: "VolumeResizeSuccessful", message });
    return grown;
  }

  async #findVolume(claim: Claim, signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#options;
    const wanted = claim.spec?.volumeName;
    if (wanted) return this.#bindWanted(claim, wanted, signal);
    const storageClass = await this.#classOf(claim, signal);
    const waits =
      storageClass?.volumeBindingMode === "WaitForFirstConsumer" &&
      !claim.metadata.annotations?.[names.SELECTED_NODE];
    const { items } = await client.list(PersistentVolumes, { signal });
    const reserved = items.find(
      (volume) =>
        !volume.metadata.deletionTimestamp && isReservedFor(volume, claim) && !mismatch(volume, claim),
    );
    if (reserved) {
      await this.#bind(claim, reserved, signal);
      return done;
    }
    if (waits) {
      return this.#note(
        claim,
        normal("WaitForFirstConsumer", "waiting for first consumer to be created before binding"),
      );
    }
    const provisioned = await this.#provisioner.provision(claim, storageClass, signal);
    if (provisioned.type === "waiting") return this.#note(claim, provisioned);
    if (provisioned.type === "made") await this.#bind(provisioned.claim, provisioned.volume, signal);
    return done;
  }

  /** Somebody chose the volume. */
  async #bindWanted(claim: Claim, name: string, signal: AbortSignal): Promise<Outcome> {
    const volume = await find(this.#options.client, PersistentVolumes, { name }, signal);
    if (!volume) return this.#note(claim, warning("FailedBinding", `volume "${name}" not found`));
    if (volume.spec?.claimRef && !isReservedFor(volume, claim)) {
      return this.#note(
        claim,
        warning("FailedBinding", `volume "${name}" already bound to a different claim.`),
      );
    }
    const problem = mismatch(volume, claim);
    if (problem) {
      return this.#note(
        claim,
        warning("VolumeMismatch", `Cannot bind to requested volume "${name}": ${problem}`),
      );
    }
    await this.#bind(claim, volume, signal);
    return done;
  }

  /** Binds both to each other, in steps that a later attempt completes. */
  async #bind(claim: Claim, volume: Volume, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const { claimRef: ref } = volume.spec ?? {};
    const metadata = {
      resourceVersion: volume.metadata.resourceVersion,
      ...(ref ? {} : { annotations: { [names.BOUND_BY_CONTROLLER]: "yes" } }),
    };
    const patch = { metadata, spec: { claimRef: refTo(claim) } };
    const reserved =
      ref?.uid === claim.metadata.uid
        ? volume
        : await client.patch(PersistentVolumes, volume.metadata, { type: "merge", patch }, { signal });
    const volumeStatus = { ...reserved.status, phase: "Bound" };
    await writeStatus(
      client,
      { resource: PersistentVolumes, object: reserved, status: volumeStatus },
      { signal },
    );
    const chosen =
      claim.spec?.volumeName !== undefined && !claim.metadata.annotations?.[names.BOUND_BY_CONTROLLER];
    const annotations = {
      [names.BIND_COMPLETED]: "yes",
      ...(chosen ? {} : { [names.BOUND_BY_CONTROLLER]: "yes" }),
    };
    const bound = await this.#complete(claim, volume.metadata.name, annotations, signal);
    const { accessModes, capacity } = volume.spec ?? {};
    await this.#write(bound, { phase: "Bound", accessModes, capacity }, signal);
  }

  /** Says on the claim that it is bound, unless it says so already or has changed since it was read. */
  async #complete(
    claim: Claim,
    volumeName: string,
    annotations: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Claim> {
    const { metadata, spec } = claim;
    const noted = Object.entries(annotations).every(
      ([name, value]) => metadata.annotations?.[name] === value,
    );
    if (noted && spec?.volumeName === volumeName) return claim;
    const patch = {
      metadata: { annotations, resourceVersion: metadata.resourceVersion },
      spec: { volumeName },
    };
    return this.#options.client.patch(PersistentVolumeClaims, metadata, { type: "merge", patch }, { signal });
  }

  async #write(claim: Claim, status: object, signal: AbortSignal): Promise<void> {
    const change = { resource: PersistentVolumeClaims, object: claim, status };
    await writeStatus(this.#options.client, change, { signal });
  }

  async #classOf({ spec }: Claim, signal: AbortSignal): Promise<StorageClass | undefined> {
    const name = spec?.storageClassName;
    return name ? find(this.#options.client, StorageClasses, { name }, signal) : undefined;
  }

  #note(claim: Claim, { note, retry }: Extract<Provisioned, { type: "waiting" }>): Outcome {
    this.#options.events.event(claim, note);
    return retry ? requeueAfter(LOOK_AGAIN) : done;
  }
}

function claimKeys(pod: Pod): readonly ObjectKey[] {
  return claimsOf(pod).map((name) => keyOf({ namespace: pod.metadata.namespace, name }));
}
