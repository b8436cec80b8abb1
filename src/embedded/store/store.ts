import type { KubeObject } from "../../kube/object.ts";

/** An object as it is stored. Never changed in place: a new version is a new object. */
export type Stored = KubeObject & { readonly [field: string]: unknown };

/** Where an object is kept. */
export interface StoreKey {
  /** As resourceName() gives it, without a version: `pods`, `jobs.batch`. */
  readonly resource: string;
  /** Empty for what has no namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** One committed write. Revisions count up by one over all resources. */
export interface Change {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly key: StoreKey;
  /** For DELETED the last state, under the revision of its deletion. */
  readonly object: Stored;
  /** Absent for ADDED. */
  readonly previous?: Stored;
}

/** The state of one resource at one revision, ordered by namespace and name. */
export interface Listing {
  readonly revision: number;
  readonly objects: readonly Stored[];
}

/** The object is no longer, or already, what the writer believed. */
export class StoreConflict extends Error {
  override name = "StoreConflict";
}

/**
 * The one place where objects live. Reads are immediate; a write is seen by readers and watchers at once or not
 * at all, and resolves when it is as durable as the store promises.
 */
export interface Store {
  /** The newest committed revision. */
  readonly revision: number;
  get(key: StoreKey): Stored | undefined;
  list(resource: string, namespace?: string): Listing;
  /**
   * Writes the object under a new revision, which becomes its metadata.resourceVersion. `expected` is the
   * resourceVersion that was read, or undefined for an object that must not exist yet; otherwise StoreConflict.
   */
  put(key: StoreKey, object: Stored, expected: string | undefined): Promise<Stored>;
  /** Removes the object if it still is at `expected`; `last` is what watchers see. Resolves to it, stamped. */
  delete(key: StoreKey, last: Stored, expected: string): Promise<Stored>;
  /** Every change after `revision`, or undefined when they are no longer remembered. */
  changesSince(revision: number): readonly Change[] | undefined;
  /** Called with every change, in order, as it is committed. The returned function ends it. */
  subscribe(listener: (change: Change) => void): () => void;
  /** Forgets the changes up to and including `revision`. */
  compact(revision: number): void;
  close(): void;
}
