import type { ObjectName } from "../../kube/object.ts";

export interface PodLogRequest {
  readonly container?: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
}

/** The node's logs, as the API server hands them out. Throws ApiError for a pod or container without any. */
export interface PodLogs {
  read(pod: ObjectName, request: PodLogRequest, signal: AbortSignal): AsyncIterable<Uint8Array>;
}
