/** A part of the program that runs from start to stop: a server, an informer, a controller. */
export interface Runnable {
  readonly name: string;
  /**
   * Runs until the signal aborts, then winds down and resolves. Calls `ready` once what it offers can be relied
   * on; what starts after it waits for that. Rejects, or resolves unasked, when it cannot go on.
   *
   * `halt` aborts when there is no time to wind down, before or after the order to stop: leadership is lost, or
   * the time to stop is over.
   */
  run(signal: AbortSignal, ready: () => void, halt: AbortSignal): Promise<void>;
}

/** The time to stop is over and something still runs. Whoever is aborted with it must give up nothing to others. */
export class ShutdownTimeout extends Error {
  override name = "ShutdownTimeout";
}

/** This process no longer is the leader: whatever only a leader may do must end at once. */
export class LeadershipLost extends Error {
  override name = "LeadershipLost";
}
