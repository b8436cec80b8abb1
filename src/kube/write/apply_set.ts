import { jsonEqual } from "../../lib/json.ts";
import { labelValue } from "../../lib/names.ts";
import { isNotFound } from "../api_error.ts";
import type { ApplyOptions, CallOptions, Reader, Writer } from "../client.ts";
import { type KubeObject, keyOf, type MetadataOnly, type ObjectKey, type Partially } from "../object.ts";
import { type Resource, resourceName } from "../resource.ts";

/** The label that says which set an object belongs to. Without it, an object is never touched. */
export const SET_LABEL = "holdfast.dev/apply-set";

/** An object as it should be, for server-side apply. */
type Applied<T extends KubeObject> = Partially<T> & {
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

export interface Member {
  readonly resource: Resource;
  readonly object: Applied<KubeObject>;
}

/** A member of a set, checked against the shape of its kind. */
export function member<T extends KubeObject>(resource: Resource<T>, object: Applied<T>): Member {
  return { resource, object: object as unknown as Applied<KubeObject> };
}

export interface DesiredSet {
  /** Whose set it is: any text, unique among all sets. */
  readonly id: string;
  /** All that should be there, in the order in which it is applied. With none, the whole set is removed. */
  readonly members: readonly Member[];
  /** Every kind that a member ever had: where to look for what is no longer wanted. */
  readonly kinds: readonly Resource[];
  /** Where to look for members that have a namespace; everywhere when absent. */
  readonly namespace?: string;
}

export interface ApplySetOptions extends CallOptions {
  readonly fieldManager: string;
  /** Takes fields of members over from other field managers instead of failing. */
  readonly force?: boolean;
  /** Reports what would happen, and changes nothing. */
  readonly dryRun?: boolean;
}

export interface MemberName {
  readonly resource: Resource;
  readonly key: ObjectKey;
}

export interface ApplySetReport {
  /** Created or changed. */
  readonly applied: readonly MemberName[];
  readonly unchanged: readonly MemberName[];
  readonly pruned: readonly MemberName[];
  /** What went wrong; without a key it was the listing of that kind. */
  readonly failed: readonly {
    readonly resource: Resource;
    readonly key?: ObjectKey;
    readonly error: unknown;
  }[];
}

/** An object of a member's name is there, but is not of this set. */
export class ForeignObject extends Error {
  override name = "ForeignObject";
}

type SetClient = Writer & Pick<Reader, "get" | "metadata">;

/**
 * Makes a set of objects what it should be: applies each member, then deletes what carries the set's label and
 * is no longer wanted. One failure does not keep the other members from being applied, but nothing is deleted
 * after any failure, a failed listing included. What changed between being looked at and being deleted stays.
 *
 * Throws only on a set that contradicts itself, and with the signal's reason.
 */
export async function applySet(
  client: SetClient,
  set: DesiredSet,
  options: ApplySetOptions,
): Promise<ApplySetReport> {
  checkSet(set);
  const run = new Run(client, set, options);
  const found = await run.find();
  await run.applyAll(found);
  if (run.report.failed.length === 0) await run.prune(found);
  return run.report;
}

type Found = ReadonlyMap<string, { readonly resource: Resource; readonly object: MetadataOnly }>;

class Run {
  readonly report = {
    applied: [] as MemberName[],
    unchanged: [] as MemberName[],
    pruned: [] as MemberName[],
    failed: [] as { resource: Resource; key?: ObjectKey; error: unknown }[],
  };
  readonly #client: SetClient;
  readonly #set: DesiredSet;
  readonly #options: ApplySetOptions;
  readonly #label: string;

  constructor(client: SetClient, set: DesiredSet, options: ApplySetOptions) {
    this.#client = client;
    this.#set = set;
    this.#options = options;
    this.#label = labelValue(set.id);
  }

  /** The members that there are. */
  async find(): Promise<Found> {
    const found = new Map<string, { resource: Resource; object: MetadataOnly }>();
    const kinds = [...this.#set.kinds, ...this.#set.members.map((each) => each.resource)];
    for (const resource of new Map(kinds.map((kind) => [resourceName(kind), kind])).values()) {
      await this.#attempt({ resource }, async () => {
        const { items } = await this.#client.metadata.list(resource, {
          ...this.#call,
          labelSelector: `${SET_LABEL}=${this.#label}`,
          ...(resource.namespaced && this.#set.namespace ? { namespace: this.#set.namespace } : {}),
        });
        for (const object of items) found.set(idOf(resource, keyOf(object)), { resource, object });
      });
    }
    return found;
  }

  async applyAll(found: Found): Promise<void> {
    for (const { resource, object } of this.#set.members) {
      const key = keyOf(object.metadata);
      await this.#attempt({ resource, key }, async () => {
        const present = await this.#present(resource, object, found.get(idOf(resource, key))?.object);
        if (present && !this.#isMember(present)) throw foreign(resource, key, this.#label);
        const result = await this.#apply(resource, object, present);
        const same = present !== undefined && this.#isSame(present, result);
        this.report[same ? "unchanged" : "applied"].push({ resource, key });
      });
    }
  }

  async prune(found: Found): Promise<void> {
    const wanted = new Set(this.#set.members.map((each) => idOf(each.resource, keyOf(each.object.metadata))));
    const unwanted = [...found].filter(
      ([id, { object }]) => !wanted.has(id) && this.#isMember(object) && !object.metadata.deletionTimestamp,
    );
    for (const [, { resource, object }] of unwanted.reverse()) {
      const key = keyOf(object);
      const { uid, resourceVersion } = object.metadata;
      await this.#attempt({ resource, key }, async () => {
        const deleted = await this.#client.delete(resource, object.metadata, {
          ...this.#call,
          ...this.#dryRun,
          propagation: "Background",
          uid,
          resourceVersion,
        });
        if (deleted) this.report.pruned.push({ resource, key });
      });
    }
  }

  /** A dry run's answer has the old resourceVersion, so it is the content that must be compared there. */
  async #present(
    resource: Resource,
    object: Member["object"],
    listed: MetadataOnly | undefined,
  ): Promise<KubeObject | undefined> {
    if (listed && !this.#options.dryRun) return listed;
    const reader = this.#options.dryRun ? this.#client : this.#client.metadata;
    try {
      return await reader.get(resource, object.metadata, this.#call);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** With the uid of what was looked at: an object that took its place meanwhile is refused, not overwritten. */
  #apply(resource: Resource, object: Member["object"], present: KubeObject | undefined): Promise<KubeObject> {
    const labels = { ...object.metadata.labels, [SET_LABEL]: this.#label };
    const uid = present ? { uid: present.metadata.uid } : {};
    const { fieldManager, force } = this.#options;
    const options: ApplyOptions = {
      ...this.#call,
      ...this.#dryRun,
      fieldManager,
      ...(force ? { force } : {}),
    };
    return this.#client.apply(
      resource,
      { ...object, metadata: { ...object.metadata, ...uid, labels } },
      options,
    );
  }

  #isMember(object: KubeObject): boolean {
    return object.metadata.labels?.[SET_LABEL] === this.#label;
  }

  #isSame(before: KubeObject, after: KubeObject): boolean {
    if (this.#options.dryRun) return jsonEqual(contentOf(before), contentOf(after));
    return before.metadata.resourceVersion === after.metadata.resourceVersion;
  }

  async #attempt(what: { resource: Resource; key?: ObjectKey }, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      this.report.failed.push({ ...what, error });
    }
  }

  get #call(): CallOptions {
    const { signal, timeout } = this.#options;
    return { ...(signal ? { signal } : {}), ...(timeout === undefined ? {} : { timeout }) };
  }

  get #dryRun(): { readonly dryRun?: true } {
    return this.#options.dryRun ? { dryRun: true } : {};
  }
}

function checkSet(set: DesiredSet): void {
  const seen = new Set<string>();
  for (const { resource, object } of set.members) {
    const { namespace } = object.metadata;
    const id = idOf(resource, keyOf(object.metadata));
    if (seen.has(id)) throw new TypeError(`set ${set.id} holds ${id} twice`);
    seen.add(id);
    if (resource.namespaced && set.namespace !== undefined && namespace !== set.namespace) {
      throw new TypeError(`set ${set.id} is of namespace ${set.namespace}, but holds ${id}`);
    }
  }
}

function foreign(resource: Resource, key: ObjectKey, label: string): ForeignObject {
  return new ForeignObject(
    `${resource.kind} ${key} is there already and does not belong to the set ${label}, so it is left as it is. ` +
      `Delete it, or hand it over with the label ${SET_LABEL}=${label}`,
  );
}

function idOf(resource: Resource, key: ObjectKey): string {
  return `${resourceName(resource)} ${key}`;
}

/** Without what the server notes about a write, changed or not. */
function contentOf(object: KubeObject): unknown {
  const { managedFields, resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata };
}
