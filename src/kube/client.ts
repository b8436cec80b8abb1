import type { Draft, KubeObject, MetadataOnly, ObjectName, Partially } from "./object.ts";
import type { Projection } from "./projection.ts";
import type { Resource } from "./resource.ts";

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Longest time for the call with all its retries, in milliseconds. */
  readonly timeout?: number;
}

export interface SelectOptions extends CallOptions {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Leaves metadata.managedFields out, which saves most of the work of reading many objects. */
  readonly omitManagedFields?: boolean;
  /** What is kept of each object beside its type and metadata. Default: all. */
  readonly keep?: Projection;
}

export interface ListOptions extends SelectOptions {
  /** Objects in one answer; the rest follows with `continue`. */
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface List<T> {
  readonly items: readonly T[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

export interface WatchOptions extends SelectOptions {
  /** Start after this version; without it the server begins with the objects that there are. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan";
  /** The objects that there are first, then a bookmark that says so (a streaming list). */
  readonly sendInitialEvents?: boolean;
  /** When the server ends the watch, in seconds. */
  readonly timeoutSeconds?: number;
  /** Silence, bookmarks included, after which the connection counts as dead, in milliseconds. */
  readonly idleTimeout?: number;
  /** Called once, when the server has accepted the watch. */
  readonly onOpen?: () => void;
}

export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | {
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      /** The objects that existed at the start have all been sent. */
      readonly initialEventsEnd: boolean;
    };

/** Reads. A function that takes a Reader changes nothing. */
export interface Reader {
  get<T extends KubeObject>(resource: Resource<T>, name: ObjectName, options?: CallOptions): Promise<T>;
  /** One page when `limit` is given, otherwise all. */
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<List<T>>;
  /** Every object, page by page. Throws ApiError 410 when the list expired half-way: begin again. */
  pages<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): AsyncIterable<List<T>>;
  /** Ends when the server ends it; throws ApiError (410 when too old), HttpFailure or the signal's reason. */
  watch<T extends KubeObject>(resource: Resource<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** Whether the API server has this kind: optional APIs are asked for, not assumed. */
  serves(resource: Resource, options?: CallOptions): Promise<boolean>;
  /** A reader of the same objects that fetches their metadata alone. */
  readonly metadata: MetadataReader;
}

/** Like Reader, for metadata alone: whatever the kind, little memory. */
export interface MetadataReader {
  get(resource: Resource, name: ObjectName, options?: CallOptions): Promise<MetadataOnly>;
  list(resource: Resource, options?: ListOptions): Promise<List<MetadataOnly>>;
  pages(resource: Resource, options?: ListOptions): AsyncIterable<List<MetadataOnly>>;
  watch(resource: Resource, options?: WatchOptions): AsyncIterable<WatchEvent<MetadataOnly>>;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** Called with each `Warning` header that the server sent. */
  readonly onWarning?: (text: string) => void;
}

export interface SubresourceOptions extends WriteOptions {
  readonly subresource?: string;
}

export interface ApplyOptions extends SubresourceOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers instead of failing with ApplyConflict. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  readonly gracePeriodSeconds?: number;
  /** Refused with a Conflict unless the object still is this one. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Called with each `Warning` header that the server sent. */
  readonly onWarning?: (text: string) => void;
}

export type JsonPatch = readonly (
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string }
)[];

export type Patch<T extends KubeObject> =
  | { readonly type: "json"; readonly patch: JsonPatch }
  | { readonly type: "merge"; readonly patch: Partially<T> }
  | { readonly type: "strategic"; readonly patch: Partially<T> };

/** Writes. */
export interface Writer {
  create<T extends KubeObject>(
    resource: Resource<T>,
    object: Draft<T>,
    options?: SubresourceOptions,
  ): Promise<T>;
  /** Replaces the object; refused with a Conflict when its resourceVersion is no longer the newest. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: SubresourceOptions): Promise<T>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    patch: Patch<T>,
    options?: SubresourceOptions,
  ): Promise<T>;
  /** Server-side apply: what is in `object` is as written afterwards, and owned by the field manager. */
  apply<T extends KubeObject>(
    resource: Resource<T>,
    object: Partially<T> & { readonly metadata: { readonly name: string; readonly namespace?: string } },
    options: ApplyOptions,
  ): Promise<T>;
  /** True when there was something to delete. */
  delete(resource: Resource, name: ObjectName, options?: DeleteOptions): Promise<boolean>;
  /** Deletes every object that is selected, within one namespace or, without one, a cluster-wide kind. */
  deleteCollection(resource: Resource, options?: SelectOptions & DeleteOptions): Promise<void>;
  getScale(resource: Resource, name: ObjectName, options?: CallOptions): Promise<Scale>;
  setScale(resource: Resource, name: ObjectName, replicas: number, options?: WriteOptions): Promise<Scale>;
}

export interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly replicas: number; readonly selector?: string };
}

export interface Client extends Reader, Writer {}
