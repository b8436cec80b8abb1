import { Namespaces } from "../../kube/builtin.ts";
import { apiVersionOf, resourceName } from "../../kube/resource.ts";
import { admit } from "../../kube/schema/admit.ts";
import { invalid as invalidField } from "../../kube/schema/problem.ts";
import type { CelEvaluator } from "../../kube/schema/rules.ts";
import { timestamp } from "../../kube/write/timestamp.ts";
import type { Clock } from "../../lib/clock.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Random } from "../../lib/random.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import { trackUpdate } from "../patch/track_update.ts";
import { type Store, StoreConflict, type Stored, type StoreKey } from "../store/store.ts";
import type { Admission, Attempt } from "./admission.ts";
import { generatedName, newUid } from "./new_names.ts";
import { checkObjectMeta } from "./object_meta.ts";
import { admitNew, confine, createdByUpdate, holdersOf, needsVersion } from "./particulars.ts";
import { present, storedForm } from "./present.ts";
import { alreadyExists, conflict, forbidden, invalid, MODIFIED, notFound, Refusal } from "./refusal.ts";

/** Where a write goes. */
export interface Place {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string | undefined;
}

/** How a write is done, whatever it writes. */
export interface WriteOptions {
  /** Nothing is stored. */
  readonly dryRun: boolean;
  readonly manager: string;
  readonly warn: (text: string) => void;
}

export interface Written {
  readonly object: Stored;
  readonly created: boolean;
}

export interface ObjectWriterOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly cel: CelEvaluator;
  readonly admission: Admission;
}

/** What an update makes of the stored object; with managedFields of its own when `tracked`. */
export interface Wanted {
  readonly object: Stored;
  readonly tracked: boolean;
}

const NAME_TRIES = 8;
/** Writes of one object that meet each other; more than this is not a coincidence. */
const CONFLICT_TRIES = 32;

export function keyOf({ kind, namespace, name }: Place): StoreKey {
  return { resource: resourceName(kind.resource), namespace, name };
}

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
  get(place: Place): Stored {
    const found = this.find(place);
    if (!found) throw notFound(place.kind.resource, place.name);
    return found;
  }

  find(place: Place): Stored | undefined {
    const stored = this.store.get(keyOf(place));
    return stored && present(place.kind, stored);
  }

  /** Creates the object; the name may be left to the server. */
  async create(place: Omit<Place, "name">, wanted: Wanted, options: WriteOptions): Promise<Stored> {
    const { generateName, name } = wanted.object.metadata;
    const generated = !name && Boolean(generateName);
    for (let tries = 1; ; tries++) {
      const given = generated ? generatedName(generateName ?? "", this.#options.random) : name;
      try {
        return await this.#insert({ ...place, name: given }, wanted, options);
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
        if (generated && tries < NAME_TRIES) continue;
        const more = generated ? ", the server was not able to generate a unique name for the object" : "";
        throw alreadyExists(place.kind.resource, given, more);
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
      if (stored) checkSame(place, stored, wanted.object);
      try {
        if (stored) return { object: await this.#replace(place, stored, wanted, options), created: false };
        return { object: await this.#insert(place, wanted, options), created: true };
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
        if (tries === CONFLICT_TRIES) throw conflict(place.kind.resource, place.name, MODIFIED);
      }
    }
  }

  /** What a PUT wants. */
  wantUpdate(place: Place, object: Stored): (stored: Stored | undefined) => Wanted | undefined {
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

  async #insert(place: Place, { object, tracked }: Wanted, options: WriteOptions): Promise<Stored> {
    const { kind, namespace, name } = place;
    const { store, random, admission } = this.#options;
    if (object.metadata.resourceVersion) {
      throw new Refusal(500, "", "resourceVersion should not be set on objects to be created");
    }
    const metadata = metadataOf(object, {
      name,
      namespace: namespace || undefined,
      uid: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      selfLink: undefined,
    });
    const named = { ...object, metadata } as Stored;
    const owned = tracked ? named : this.#tracked(place, undefined, named, options);
    const { status: _, ...statusless } = owned;
    const draft = (kind.status ? statusless : owned) as Stored;
    this.#checkNamespace(place);
    const attempt = this.#attempt("CREATE", place, options);
    const plugged = admitNew(kind, kind.defaults ? kind.defaults(draft) : draft, store);
    const mutated = await admission.mutate({ ...attempt, object: plugged });
    const complete = {
      ...mutated,
      metadata: metadataOf(mutated, {
        uid: newUid(random),
        creationTimestamp: this.now,
        ...(kind.generation && { generation: 1 }),
      }),
    } as Stored;
    const checked = this.#checked(kind, kind.onCreate ? kind.onCreate(complete) : complete, undefined);
    await admission.validate({ ...attempt, object: checked });
    this.#checkNamespace(place);
    const key = keyOf(place);
    if (!options.dryRun) return present(kind, await store.put(key, storedForm(kind, checked), undefined));
    if (store.get(key)) throw new StoreConflict(name);
    return checked;
  }

  async #replace(
    place: Place,
    stored: Stored,
    { object, tracked }: Wanted,
    options: WriteOptions,
  ): Promise<Stored> {
    const { kind, subresource } = place;
    const { admission } = this.#options;
    const before = stored.metadata;
    const system = {
      name: before.name,
      namespace: before.namespace,
      uid: before.uid,
      resourceVersion: before.resourceVersion,
      creationTimestamp: before.creationTimestamp,
      generation: before.generation,
      deletionTimestamp: before.deletionTimestamp,
      deletionGracePeriodSeconds: before.deletionGracePeriodSeconds,
      selfLink: undefined,
    };
    const wanted = { ...object, metadata: metadataOf(object, system) } as Stored;
    const { managedFields } = tracked ? wanted.metadata : this.#tracked(place, stored, wanted, options).metadata;
    const confined = confine(kind, subresource, stored, wanted);
    const owned = { ...confined, metadata: metadataOf(confined, { managedFields }) } as Stored;
    if (sameButTimes(owned, stored)) return stored;
    const attempt = this.#attempt("UPDATE", place, options);
    const mutated = await admission.mutate({ ...attempt, object: owned, old: stored });
    const generation = this.#generation(kind, stored, mutated);
    const complete = { ...mutated, metadata: metadataOf(mutated, { ...system, generation }) } as Stored;
    const checked = this.#checked(kind, complete, stored);
    await admission.validate({ ...attempt, object: checked, old: stored });
    if (sameButTimes(checked, stored)) return stored;
    return this.#commit(place, stored, checked, options);
  }

  /** Stores the new state; the last finalizer of a deleted object takes it away. */
  async #commit(place: Place, stored: Stored, next: Stored, options: WriteOptions): Promise<Stored> {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, resourceVersion } = stored.metadata;
    const gone = deletionTimestamp && deletionGracePeriodSeconds === 0 && holdersOf(next).length === 0;
    if (options.dryRun) return next;
    if (!gone) return this.replaceStored(place, next, resourceVersion);
    await this.store.delete(keyOf(place), storedForm(place.kind, next), resourceVersion);
    return next;
  }

  /** Stores an object past admission and validation: for what the server itself changes. */
  async replaceStored(place: Place, next: Stored, resourceVersion: string): Promise<Stored> {
    return present(
      place.kind,
      await this.store.put(keyOf(place), storedForm(place.kind, next), resourceVersion),
    );
  }

  #attempt(operation: Attempt["operation"], place: Place, { dryRun, warn }: WriteOptions) {
    const { kind, namespace, name, subresource } = place;
    return { operation, kind, namespace, name, subresource, dryRun, warn };
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

  #tracked(place: Place, before: Stored | undefined, after: Stored, { manager }: WriteOptions): Stored {
    const { kind, subresource } = place;
    // The real server does not say who scaled a custom object.
    if (before && kind.custom && subresource === "scale") return before;
    const apiVersion = apiVersionOf(kind.resource);
    return trackUpdate({ kind, before, after, manager, apiVersion, subresource, time: this.now });
  }

  #checked(kind: KindInfo, object: Stored, old: Stored | undefined): Stored {
    const { cel } = this.#options;
    const admitted = admit(kind.schema, object, { ...(old && { old }), ...(kind.custom && { cel }) });
    const checked = admitted.object as Stored;
    const problems = [
      ...checkObjectMeta(checked, old),
      ...admitted.problems,
      ...(kind.check?.(checked, old) ?? []),
    ];
    if (problems.length > 0) throw invalid(kind.resource, checked.metadata.name ?? "", problems);
    return checked;
  }

  #generation(kind: KindInfo, stored: Stored, next: Stored): number | undefined {
    const { generation } = stored.metadata;
    if (!kind.generation) return generation;
    return (generation ?? 0) + (jsonEqual(counted(kind, stored), counted(kind, next)) ? 0 : 1);
  }
}

/** What a generation counts the changes of. */
function counted(kind: KindInfo, object: Stored): object {
  const { metadata: _, status, ...rest } = object;
  return kind.custom && !kind.status ? { ...rest, status } : rest;
}

/** The object's metadata with some fields set, or, as undefined, removed. */
function metadataOf(
  object: { readonly metadata: object },
  fields: Readonly<Record<string, unknown>>,
): object {
  const all = Object.entries({ ...object.metadata, ...fields });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** True when a write would change at most the times in managedFields. */
function sameButTimes(a: Stored, b: Stored): boolean {
  return jsonEqual(withoutTimes(a), withoutTimes(b));
}

function withoutTimes(object: Stored): Stored {
  const managedFields = object.metadata.managedFields?.map(({ time: _, ...entry }) => entry);
  return { ...object, metadata: { ...object.metadata, ...(managedFields && { managedFields }) } };
}

/** Who names a uid or a resourceVersion means that very object, and no other state of it. */
function checkSame(place: Place, stored: Stored, wanted: Stored): void {
  const { kind, name } = place;
  const { uid, resourceVersion } = wanted.metadata;
  if (uid && uid !== stored.metadata.uid) throw wrongUid(place, uid, stored.metadata.uid);
  if (!resourceVersion || resourceVersion === stored.metadata.resourceVersion) return;
  if (/^\d+$/.test(resourceVersion)) throw conflict(kind.resource, name, MODIFIED);
  const text = JSON.stringify(resourceVersion);
  throw new Refusal(500, "", `strconv.ParseUint: parsing ${text}: invalid syntax`);
}

function wrongUid(place: Place, given: string, uid: string): Refusal {
  const { kind, namespace, name } = place;
  const key = `/registry/${resourceName(kind.resource)}/${namespace ? `${namespace}/` : ""}${name}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`;
  return conflict(kind.resource, name, why);
}
