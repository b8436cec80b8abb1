import type { KubeObject, ObjectKey } from "../object.ts";
import type { Resource } from "../resource.ts";

/** One difference between what the cache held and what it holds now. */
export type Change<T> =
  | { readonly type: "added"; readonly key: ObjectKey; readonly object: T }
  | { readonly type: "updated"; readonly key: ObjectKey; readonly object: T; readonly previous: T }
  /** `previous` is the last state that was seen, which need not be the last that there was. */
  | { readonly type: "removed"; readonly key: ObjectKey; readonly previous: T };

/** The object that a change is of, as it was last seen. */
export function lastSeen<T>(change: Change<T>): T {
  return change.type === "removed" ? change.previous : change.object;
}

/** A local copy of the objects of one kind, kept up to date by an informer. Reading it costs no request. */
export interface Cache<T extends KubeObject> {
  readonly resource: Resource<T>;
  get(key: ObjectKey): T | undefined;
  /** The objects, in no particular order. */
  values(): Iterable<T>;
  readonly size: number;
  /** The objects that an index filed under `value`. */
  indexed(index: string, value: string): readonly T[];
  /**
   * Calls back for every change from now on, and at once with `added` for what is there already. The returned
   * function ends it. A handler must not wait: it hands keys to a queue. What it throws is logged, and that change is
   * lost to it.
   */
  onChange(handler: (change: Change<T>) => void): () => void;
  /** The first full state has arrived. */
  readonly synced: boolean;
  /** Resolves when synced; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /**
   * Milliseconds since the API server last confirmed this state; 0 while a watch of it is open, Infinity before the
   * first sync.
   */
  readonly staleness: number;
  /** Why the API server did not answer when it was last asked, where it did not. */
  readonly trouble?: string | undefined;
  /** The program works without it, if less well. */
  readonly optional?: boolean;
}
