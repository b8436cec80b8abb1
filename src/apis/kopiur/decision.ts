import type { ClaimRequest } from "../../core/volumes/claim_request.ts";
import type { StagingIntent } from "../../core/volumes/staging/staging_decision.ts";
import type { TaskDecision } from "../../core/work/task_decision.ts";
import type { EventNote } from "../../kube/write/events.ts";

/** What follows for an object from what was observed. */
export interface Decision<Status> {
  /** The whole status as it should be; absent where there is nothing to say. It is written before any intent. */
  readonly status?: Status;
  readonly intents: readonly Intent[];
  readonly events?: readonly EventNote[];
  /** When to look again, in milliseconds since 1970, if nothing changes sooner. */
  readonly wakeAt?: number | undefined;
}

/** Something to be done, that may be done again. */
export type Intent =
  | { readonly type: "Run"; readonly decision: TaskDecision }
  | { readonly type: "EnsureClaim"; readonly request: ClaimRequest }
  /** What a mover is to read is made, or removed. */
  | { readonly type: "Stage"; readonly intents: readonly StagingIntent[] }
  /** The object cannot go before its finalizer is removed, and carries these labels. */
  | { readonly type: "Hold"; readonly finalizer: string; readonly labels: Readonly<Record<string, string>> }
  | { readonly type: "LetGo"; readonly finalizer: string };
