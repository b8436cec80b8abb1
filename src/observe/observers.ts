/**
 * What the machinery tells about itself. Each part calls the observer that it was handed and knows nothing of
 * metrics; the no-op ones are the defaults. An observer must not throw and must not wait.
 */

/** One request to the API server, after its answer or its failure. */
export interface ApiRequestInfo {
  /** The Kubernetes verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, … */
  readonly verb: string;
  /** As resourceName() gives it: `pods`, `jobs.batch`; with `/status` and the like for a subresource. */
  readonly resource: string;
  /** The HTTP status, or a short word where there was no answer: `ECONNREFUSED`, `aborted`. */
  readonly code: number | string;
  /** From sending to the headers of the answer. */
  readonly durationMs: number;
  /** 1 for the first try. */
  readonly attempt: number;
}

export interface ApiObserver {
  request(info: ApiRequestInfo): void;
}

export interface WatchObserver {
  /** The server accepted a watch. */
  opened(resource: string): void;
  /** A watch that had been opened is over; `reason` is a short word from a small set. */
  closed(resource: string, reason: string): void;
  event(resource: string, type: string): void;
  /** The whole state was fetched again; `reason` is a short word from a small set. */
  relisted(resource: string, reason: string): void;
}

export interface QueueObserver {
  /** Something asked for the key to be worked on; also when that folded into what was waiting already. */
  added(queue: string): void;
  /** A worker took a key that had been ready for `waitedMs`. */
  taken(queue: string, waitedMs: number): void;
  /** The worker is done with a key. */
  finished(queue: string, workedMs: number): void;
  /** A key came back with backoff. */
  retried(queue: string): void;
}

export interface ReconcileObserver {
  /** `result` is `done`, `requeued`, `conflict`, `transient`, `structural`, `terminal` or `aborted`. */
  reconciled(controller: string, result: string, durationMs: number, key: string): void;
}

/** One review that was answered. */
export interface AdmissionInfo {
  /** What the webhook does: `mutating` or `validating`. */
  readonly webhook: string;
  /** As resourceName() gives it. */
  readonly resource: string;
  /** `CREATE`, `UPDATE` or `DELETE`. */
  readonly operation: string;
  /** `passed`: let through without asking, as it is being deleted. `failed`: the webhook could not tell. */
  readonly verdict: "allowed" | "denied" | "passed" | "failed";
  /** From the request, read whole, to the answer. */
  readonly durationMs: number;
}

export interface AdmissionObserver {
  reviewed(info: AdmissionInfo): void;
}

/** The end of a run: of one mover. */
export interface RunEnd {
  /** What the mover did: `snapshot`, `restore`, `delete`, … */
  readonly operation: string;
  /** `cancelled`: it was told to end. `lost`: nobody saw how it ended. */
  readonly result: "succeeded" | "failed" | "cancelled" | "lost";
  /** How long it ran; absent where that is not known. */
  readonly seconds?: number;
  readonly run: EndedRun;
}

/** Times are wall time in milliseconds, as the cluster has them. */
export interface EndedRun {
  readonly namespace: string;
  /** Its Job's name: pods that do the same work one after the other share it. */
  readonly name: string;
  readonly pod: string;
  readonly node?: string;
  /** Whose work it is. */
  /** What it was for, with the API group of that. */
  readonly owner?: { readonly group: string; readonly kind: string; readonly name: string };
  readonly createdAt?: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

export interface RunEndObserver {
  runEnded(end: RunEnd): void;
}

export const noApiObserver: ApiObserver = { request() {} };
export const noWatchObserver: WatchObserver = { opened() {}, closed() {}, event() {}, relisted() {} };
export const noQueueObserver: QueueObserver = { added() {}, taken() {}, finished() {}, retried() {} };
export const noReconcileObserver: ReconcileObserver = { reconciled() {} };
