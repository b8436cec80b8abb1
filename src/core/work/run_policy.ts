import type { Owner } from "../../wire/snapshot.ts";

/** How hard a task is tried. */
export interface RunPolicy {
  /** Attempts after the first. Default 2. */
  readonly backoffLimit?: number;
  /**
   * Over all attempts, in seconds: from when nothing stood before the first one but what it takes to start it, or from its
   * start signal where it waits for that. Default: none.
   */
  readonly activeDeadlineSeconds?: number;
  /** Until the mover of an attempt has started, from when nothing stood before it any more, in seconds. Default 600. */
  readonly startDeadlineSeconds?: number;
  /** The current attempt must have started by then, whatever the other deadlines say. Default: no such time. */
  readonly startBy?: StartBy | undefined;
  /**
   * Whether the next attempt can run as the only owner of what this one could not read. Once, it then comes at once, and
   * the failure does not count. Default: it cannot.
   */
  readonly canRunAs?: (owner: Owner) => boolean;
}

/** For what is tried for as long as its object is there. */
export const FOREVER = { backoffLimit: Number.MAX_SAFE_INTEGER } as const;

export interface StartBy {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What it means that the time is over, as a clause: "…, and the hooks allow no longer wait". */
  readonly message: string;
}

/** Whether new work may begin now: pools and circuit breakers say so. What runs already is left alone. */
export type RunGate =
  | { readonly open: true }
  | {
      readonly open: false;
      readonly reason: string;
      readonly message: string;
      /** Until it is looked at again though nothing tells of a change, in milliseconds. Default: a minute. */
      readonly patience?: number;
    };
