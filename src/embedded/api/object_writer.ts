import { Namespaces } from "../../kube/builtin.ts";
import type { ManagedFields } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { invalid as invalidField } from "../../kube/schema/problem.ts";
import type { CelEvaluator } from "../../kube/schema/rules.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import type { Random } from "../../lib/random.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { trackUpdate } from "../patch/track_update.ts";
import { type Store, StoreConflict, type Stored } from "../store/store.ts";
import type { Admission, Attempt } from "./admission.ts";
import { admitChanged, admitNew, checkServiceAccount } from "./builtin_admission.ts";
import { generatedName, newUid } from "./new_names.ts";
import { checkSameObject, generationOf, sameButTimes, systemFields, withMetadata } from "./object_changes.ts";
import { confine, createdByUpdate, holdersOf, needsVersion, withPhaseTime } from "./particulars.ts";
import { present, storedForm } from "./present.ts";
import { alreadyExists, conflict, forbidden, invalid, MODIFIED, notFound, Refusal } from "./refusal.ts";
import { keyOf, type Place } from "./target.ts";
import type { User } from "./user.ts";
import { validated } from "./validated.ts";

/** How a write is done, whatever it writes. */
export interface WriteOptions {
  /** Nothing is stored. */
  readonly dryRun: boolean;
  readonly manager: string;
  readonly user: User;
  readonly warn: (text: string) => void;
}

export interface Written {
  readonly object: Stored;
  readonly created: boolean;
}

/** What a write is to make of an object; an apply has managedFields of its own, and they are `tracked`. */
export interface Wanted {
  readonly object: Stored;
  readonly tracked: boolean;
}

export interface ObjectWriterOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly cel: CelEvaluator;
  readonly admission: Admission;
}

const NAME_TRIES = 8;
/** Writes of one object that meet each other; more than this is not a coincidence. */
const CONFLICT_TRIES = 32;

/** Takes decoded objects through metadata, admission and validation into the store. */
export class ObjectWriter {
  readonly #options: ObjectWriterOptions;

  constructor(options: ObjectWriterOptions) {
    this.#options = options;
  }

  get store(): Store {
    return this.#options.store;
  }

  get now(): string {
    return timestamp(this.#options.clock.now());
  }

  /** The stored object, in the version of the place's kind. */
  find(place: Place): Stored | undefined {
    const stored = this.store.get(keyOf(place));
    return stored && present(place.kind, stored);
  }

  /** Creates the object; the name may be left to the server. */
  async create(at: Omit<Place, "name">, wanted: Wanted, options: WriteOptions): Promise<Stored> {
    const { generateName = "", name } = wanted.object.metadata;
    const generated = !name && generateName !== "";
    for (let tries = 1; ; tries++) {
      const place = { ...at, name: generated ? generatedName(generateName, this.#options.random) : name };
      try {
        return await this.#insert(place, wanted, options);
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
        if (generated && tries < NAME_TRIES) continue;
        const deleting = this.find(place)?.metadata.deletionTimestamp !== undefined;
        throw alreadyExists(place.kind.resource, place.name, { generated, deleting });
      }
    }
  }

  /**
   * Replaces the object by what `want` makes of it; called again when somebody else was faster. It gets undefined
   * when there is no object, and answers undefined when that is an error.
   */
  async update(
    place: Place,
    want: (stored: Stored | undefined) => Wanted | undefined,
    options: WriteOptions,
  ): Promise<Written> {
    for (let tries = 1; ; tries++) {
      const stored = this.find(place);
      const wanted = want(stored);
      if (!wanted) throw notFound(place.kind.resource, place.name);
      if (stored) checkSameObject(place, stored, wanted.object);
      try {
        if (stored) return { object: await this.#replace(place, stored, wanted, options), created: false };
        return { object: await this.#insert(place, wanted, options), created: true };
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
        if (tries === CONFLICT_TRIES) throw conflict(place.kind.resource, place.name, MODIFIED);
      }
    }
  }

  /** Stores an object past admission and validation: for what the server itself changes. */
  async replaceStored(place: Place, next: Stored, resourceVersion: string): Promise<Stored> {
    const { kind } = place;
    return present(kind, await this.store.put(keyOf(place), storedForm(kind, next), resourceVersion));
  }

  async #insert(place: Place, { object, tracked }: Wanted, options: WriteOptions): Promise<Stored> {
    const { kind, namespace, name } = place;
    const { store, random, cel, admission } = this.#options;
    const { dryRun, warn } = options;
    if (object.metadata.resourceVersion) {
      throw new Refusal(500, "", "resourceVersion should not be set on objects to be created");
    }
    const named = withMetadata(object, {
      name,
      namespace: namespace || undefined,
      uid: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      selfLink: undefined,
    });
    const managedFields = tracked
      ? named.metadata.managedFields
      : this.#track(place, undefined, named, options);
    this.#checkNamespace(place);
    const attempt = attemptOf("CREATE", place, options);
    checkServiceAccount(kind, named, store);
    const plugged = admitNew(kind, withMetadata(named, { managedFields }), store);
    const mutated = await admission.mutate({ ...attempt, object: plugged });
    const { status: _, ...statusless } = mutated;
    const draft = (kind.status ? statusless : mutated) as Stored;
    const complete = withMetadata(kind.defaults ? kind.defaults(draft) : draft, {
      uid: newUid(random),
      creationTimestamp: this.now,
      ...(kind.generation && { generation: 1 }),
    });
    const checked = validated(place, kind.onCreate ? kind.onCreate(complete) : complete, { cel, warn });
    await admission.validate({ ...attempt, object: checked });
    this.#checkNamespace(place);
    const key = keyOf(place);
    if (!dryRun) return present(kind, await store.put(key, storedForm(kind, checked), undefined));
    if (store.get(key)) throw new StoreConflict(name);
    return checked;
  }

  async #replace(place: Place, stored: Stored, wanted: Wanted, options: WriteOptions): Promise<Stored> {
    const { kind } = place;
    const { cel, admission } = this.#options;
    const object = withMetadata(wanted.object, systemFields(stored));
    const managedFields = wanted.tracked
      ? object.metadata.managedFields
      : this.#track(place, stored, object, options);
    const draft = confine(place, stored, withMetadata(object, { managedFields }));
    // Compared with what is stored: defaults that it lacks, and fields that its schema lost, are a change.
    const raw = this.store.get(keyOf(place)) ?? stored;
    if (sameButTimes(storedForm(kind, draft), raw)) return stored;
    const attempt = attemptOf("UPDATE", place, options);
    const mutated = await admission.mutate({ ...attempt, object: draft, old: stored });
    const confined = confine(place, stored, withMetadata(mutated, systemFields(stored)));
    const timed = withPhaseTime(kind, stored, confined, this.now);
    const complete = withMetadata(timed, { generation: generationOf(kind, stored, timed) });
    const checked = validated(place, complete, { cel, warn: options.warn, old: stored });
    // Of a custom object, the real server stores what was scaled without defaults.
    const next = kind.custom && place.subresource === "scale" ? complete : checked;
    admitChanged(place, next, stored, this.store);
    await admission.validate({ ...attempt, object: next, old: stored });
    if (options.dryRun) return next;
    if (sameButTimes(storedForm(kind, next), raw)) return stored;
    return this.#commit(place, stored, next);
  }

  /** Stores the new state; the last finalizer of a deleted object takes it away. */
  async #commit(place: Place, stored: Stored, next: Stored): Promise<Stored> {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, resourceVersion } = stored.metadata;
    const held = deletionGracePeriodSeconds > 0 || holdersOf(next).length > 0;
    if (!deletionTimestamp || held) return this.replaceStored(place, next, resourceVersion);
    await this.store.delete(keyOf(place), storedForm(place.kind, stored), resourceVersion);
    return next;
  }

  /** New content needs a namespace that is there to stay. */
  #checkNamespace({ kind, namespace, name }: Place): void {
    if (!kind.resource.namespaced) return;
    const found = this.store.get({ resource: "namespaces", namespace: "", name: namespace });
    if (!found) throw notFound(Namespaces, namespace);
    if (!found.metadata.deletionTimestamp) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const message = `namespace ${namespace} is being terminated`;
    throw forbidden(kind.resource, name, why, [
      { reason: "NamespaceTerminating", message, field: "metadata.namespace" },
    ]);
  }

  #track(
    { kind, subresource }: Place,
    before: Stored | undefined,
    after: Stored,
    { manager }: WriteOptions,
  ): readonly ManagedFields[] | undefined {
    // Of a custom object the real server says who scaled it only when somebody owned its replicas before.
    if (before && kind.custom && subresource === "scale" && !ownsReplicas(kind, before))
      return before.metadata.managedFields;
    const apiVersion = apiVersionOf(kind.resource);
    return trackUpdate({ kind, before, after, manager, apiVersion, subresource, time: this.now }).metadata
      .managedFields;
  }
}

function ownsReplicas({ scale }: KindInfo, { metadata }: Stored): boolean {
  const path = scale?.specReplicasPath.split(".").slice(1) ?? [];
  const owned = (fields: unknown) =>
    path.reduce<unknown>((at, name) => (isRecord(at) ? at[`f:${name}`] : undefined), fields);
  return (metadata.managedFields ?? []).some(({ fieldsV1 }) => owned(fieldsV1) !== undefined);
}

function attemptOf(operation: Attempt["operation"], place: Place, { user, dryRun, warn }: WriteOptions) {
  const { kind, namespace, name, subresource } = place;
  return { operation, kind, namespace, name, subresource, user, dryRun, warn };
}

/** What a PUT wants of the object at a place. */
export function wantReplaced(
  place: Place,
  object: Stored,
): (stored: Stored | undefined) => Wanted | undefined {
  const { kind, name } = place;
  return (stored) => {
    if (!stored) return createdByUpdate(kind) ? { object, tracked: false } : undefined;
    if (!object.metadata.resourceVersion && needsVersion(kind)) {
      const problem = invalidField("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalid({ group: kind.resource.group, kind: kind.resource.plural }, name, [problem]);
    }
    return { object, tracked: false };
  };
}
