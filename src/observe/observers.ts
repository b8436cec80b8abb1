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
  reconciled(controller: string, result: string, durationMs: number): void;
}

export const noApiObserver: ApiObserver = { request() {} };
export const noWatchObserver: WatchObserver = { opened() {}, closed() {}, event() {}, relisted() {} };
export const noQueueObserver: QueueObserver = { added() {}, taken() {}, finished() {}, retried() {} };
export const noReconcileObserver: ReconcileObserver = { reconciled() {} };
