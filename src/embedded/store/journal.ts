import type { Change, Stored, StoreKey } from "./store.ts";

/** What a journal kept from earlier runs. */
export interface Saved {
  /** The newest revision that was ever committed. */
  readonly revision: number;
  readonly objects: Iterable<{ readonly key: StoreKey; readonly object: Stored }>;
}

/** Where a store's writes survive the process. */
export interface Journal {
  /** Called once, before the first append. */
  load(): Saved;
  /** Keeps all changes or, by throwing, none. They are durable when it returns. */
  append(changes: readonly Change[]): void;
  close(): void;
}

/** A write could not be made durable. Nothing of it was kept; it may be tried again. */
export class JournalError extends Error {
  override name = "JournalError";
}
