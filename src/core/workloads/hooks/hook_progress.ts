/** How far a series of hooks has come. It is kept in the owner's status, and is bounded. */
export interface HookProgress {
  /** Hooks that have ended. */
  readonly finished: number;
  /** ISO 8601. When the next one was begun; absent before. */
  readonly since?: string;
  /** The UID of its Job, once it is known. */
  readonly job?: string;
  /** Why the first failed that must not. */
  readonly failure?: string;
  /** Why the newest failed that may. */
  readonly tolerated?: string;
}

export const NOTHING_DONE: HookProgress = { finished: 0 };

/** Of the words in a status. */
export const LONGEST_FAILURE = 480;
