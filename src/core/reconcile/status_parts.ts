/* Parts of a status that mean the same on every kind. */

/** Why the last attempt failed. */
export interface FailureStatus {
  readonly errorClass: string;
  readonly message: string;
  readonly remedy?: string;
  readonly retry: "transient" | "structural" | "terminal";
  /** The last lines that the engine wrote. */
  readonly stderrTail?: string;
  /** Counted from 1. */
  readonly attempt?: number;
  readonly at?: string;
}

/** The Job of the last attempt. */
export interface JobStatus {
  readonly name?: string;
  readonly namespace?: string;
  readonly runID?: string;
  readonly attempts?: number;
  readonly nextAttemptAt?: string;
  readonly image?: string;
}

export interface TimingStatus {
  readonly startTime?: string;
  readonly endTime?: string;
  readonly durationSeconds?: number;
}

/** What is not in a backup, or did not come back as it was. */
export interface LossStatus {
  readonly kind: string;
  readonly count: number;
  readonly reason: string;
  readonly examples?: readonly string[];
}
