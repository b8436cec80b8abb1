import { done, type Outcome } from "../../kube/controller/controller.ts";
import type { OwnerReference } from "../../kube/object.ts";
import { type Resource, resourceName } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import type { Change, Stored, StoreKey } from "../store/store.ts";
import { type ControllerPorts, storeController } from "./store_controller.ts";

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** Deletes what has lost its last owner, and carries out foreground and orphaning deletions. */
export function garbageCollector(ports: ControllerPorts): Runnable {
  const collector = new GarbageCollector(ports);
  return storeController(ports, {
    name: "garbage collector",
    initial: () => collector.begin(),
    keysOf: (change) => collector.noticed(change),
    reconcile: (uid, signal) => collector.reconcile(uid, signal),
  });
}

/** Works by uid: a name may belong to another object by the time that it is looked at. */
class GarbageCollector {
  readonly #ports: ControllerPorts;
  /** Of those that have an owner, or are being deleted. */
  readonly #places = new Map<string, StoreKey>();
  /** By the owner's uid, also of one that does not exist. */
  readonly #dependents = new Map<string, Set<string>>();

  constructor(ports: ControllerPorts) {
    this.#ports = ports;
  }

  *begin(): Iterable<string> {
    const { store, kinds } = this.#ports;
    for (const { resource } of kinds.stored()) {
      const name = resourceName(resource);
      for (const object of store.list(name).objects) {
        const { namespace = "", name: own, uid } = object.metadata;
        if (!concerns(object)) continue;
        this.#file({ resource: name, namespace, name: own }, object);
        yield uid;
      }
    }
  }

  *noticed({ type, key, object, previous }: Change): Iterable<string> {
    const { uid } = object.metadata;
    if (previous) this.#unfile(previous);
    if (type !== "DELETED") {
      if (!concerns(object)) return;
      this.#file(key, object);
      yield uid;
      return;
    }
    yield* this.#dependents.get(uid) ?? [];
    // An owner may have waited for this one.
    for (const owner of object.metadata.ownerReferences ?? []) yield owner.uid;
  }

  async reconcile(uid: string, signal: AbortSignal): Promise<Outcome> {
    const found = this.#find(uid);
    if (!found) return done;
    const { object, resource } = found;
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp && finalizers.includes(ORPHAN)) return this.#orphan(found, signal);
    if (deletionTimestamp && finalizers.includes(FOREGROUND)) return this.#waitForDependents(found, signal);
    if (deletionTimestamp) return done;
    const owners = (object.metadata.ownerReferences ?? []).map((reference) => ({
      reference,
      state: this.#stateOf(reference, object),
    }));
    if (owners.length === 0 || owners.some(({ state }) => state === "unknown")) return done;
    const solid = owners.filter(({ state }) => state === "solid").map(({ reference }) => reference);
    if (solid.length === owners.length) return done;
    if (solid.length > 0) {
      await this.#setOwners(found, solid, signal);
      return done;
    }
    const waiting = owners.some(({ state }) => state === "waiting");
    const propagation = waiting && this.#dependentsOf(uid).length > 0 ? "Foreground" : undefined;
    const { resourceVersion } = object.metadata;
    await this.#ports.client.delete(resource, object.metadata, {
      uid,
      resourceVersion,
      propagation: propagation ?? policyOf(object),
      signal,
    });
    return done;
  }

  /** Lets go of every dependent, then of the object. */
  async #orphan(found: Found, signal: AbortSignal): Promise<Outcome> {
    const { uid } = found.object.metadata;
    for (const dependent of this.#dependentsOf(uid)) {
      const owners = dependent.object.metadata.ownerReferences ?? [];
      const others = owners.filter((owner) => owner.uid !== uid);
      await this.#setOwners(dependent, others, signal);
    }
    await this.#removeFinalizer(found, ORPHAN, signal);
    return done;
  }

  /** Dependents see for themselves that their owner waits; those that block it keep it until they are gone. */
  async #waitForDependents(found: Found, signal: AbortSignal): Promise<Outcome> {
    const { uid } = found.object.metadata;
    const dependents = this.#dependentsOf(uid);
    for (const { object } of dependents) await this.reconcile(object.metadata.uid, signal);
    const blocks = (reference: OwnerReference) =>
      reference.uid === uid && reference.blockOwnerDeletion === true;
    const left = this.#dependentsOf(uid).filter(({ object }) =>
      object.metadata.ownerReferences?.some(blocks),
    );
    if (left.length === 0) await this.#removeFinalizer(found, FOREGROUND, signal);
    return done;
  }

  async #setOwners({ resource, object }: Found, owners: readonly OwnerReference[], signal: AbortSignal) {
    const { uid, resourceVersion } = object.metadata;
    const ownerReferences = owners.length > 0 ? owners : null;
    const patch = { metadata: { uid, resourceVersion, ownerReferences } };
    await this.#ports.client.patch(resource, object.metadata, { type: "merge", patch }, { signal });
  }

  async #removeFinalizer({ resource, object }: Found, finalizer: string, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion, finalizers = [] } = object.metadata;
    const patch = {
      metadata: { uid, resourceVersion, finalizers: finalizers.filter((name) => name !== finalizer) },
    };
    await this.#ports.client.patch(resource, object.metadata, { type: "merge", patch }, { signal });
  }

  #stateOf(reference: OwnerReference, { metadata }: Stored): "solid" | "waiting" | "absent" | "unknown" {
    const { store, kinds } = this.#ports;
    const kind = kinds.byKind(reference.apiVersion, reference.kind);
    // Nothing is deleted for an owner of which nobody knows whether it exists.
    if (!kind) return "unknown";
    const { resource } = kind;
    const namespace = resource.namespaced ? (metadata.namespace ?? "") : "";
    if (resource.namespaced && namespace === "") return "unknown";
    const owner = store.get({ resource: resourceName(resource), namespace, name: reference.name });
    if (owner?.metadata.uid !== reference.uid) return "absent";
    const { deletionTimestamp, finalizers } = owner.metadata;
    return deletionTimestamp && finalizers?.includes(FOREGROUND) ? "waiting" : "solid";
  }

  #find(uid: string): Found | undefined {
    const place = this.#places.get(uid);
    const object = place && this.#ports.store.get(place);
    if (object?.metadata.uid !== uid) return undefined;
    const kind = this.#ports.kinds.byKind(object.apiVersion, object.kind);
    return kind && { object, resource: kind.resource };
  }

  #dependentsOf(uid: string): readonly Found[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#find(dependent) ?? []);
  }

  #file(key: StoreKey, { metadata }: Stored): void {
    this.#places.set(metadata.uid, key);
    for (const owner of metadata.ownerReferences ?? []) {
      const known = this.#dependents.get(owner.uid);
      if (known) known.add(metadata.uid);
      else this.#dependents.set(owner.uid, new Set([metadata.uid]));
    }
  }

  #unfile({ metadata }: Stored): void {
    this.#places.delete(metadata.uid);
    for (const owner of metadata.ownerReferences ?? []) {
      const known = this.#dependents.get(owner.uid);
      known?.delete(metadata.uid);
      if (known?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}

interface Found {
  readonly object: Stored;
  readonly resource: Resource;
}

/** Most objects have neither owners nor a deletion to be carried out. */
function concerns({ metadata }: Stored): boolean {
  return Boolean(metadata.ownerReferences?.length) || Boolean(metadata.deletionTimestamp);
}

/** How an object that has begun to be deleted in one way goes on. */
function policyOf({ metadata: { finalizers = [] } }: Stored): "Orphan" | "Foreground" | "Background" {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
