import type { EventNote } from "../../kube/write/events.ts";
import type { Claim, ClaimRequest } from "../volumes/claim_request.ts";
import type { PopulationIntent } from "../volumes/populator/population_decision.ts";
import type { StagingIntent } from "../volumes/staging/staging_decision.ts";
import type { TaskDecision } from "../work/task_decision.ts";
import type { HookIntent } from "../workloads/hooks/decide_hooks.ts";
import type { HookSeries } from "../workloads/hooks/hook.ts";
import type { ScalingIntent } from "../workloads/scaling/scaling_intent.ts";

/** What follows for an object from what was observed. `More`: what its API does beyond what every API may. */
export interface Decision<Status, More = never> {
  /** The whole status as it should be; absent where there is nothing to say. It is written before any intent. */
  readonly status?: Status;
  readonly intents: readonly (Intent | More)[];
  readonly events?: readonly EventNote[];
  /** When to look again, in milliseconds since 1970, if nothing changes sooner. */
  readonly wakeAt?: number | undefined;
}

/** Something to be done, that may be done again. */
export type Intent =
  | { readonly type: "Run"; readonly decision: Pick<TaskDecision, "intents"> }
  | { readonly type: "EnsureClaim"; readonly request: ClaimRequest }
  /** A claim says this of itself; `null` takes an annotation away. */
  | {
      readonly type: "MarkClaim";
      readonly claim: Claim;
      readonly annotations: Readonly<Record<string, string | null>>;
    }
  /** What a mover is to read is made, or removed. */
  | { readonly type: "Stage"; readonly intents: readonly StagingIntent[] }
  /** A claim that is populated gets on. */
  | { readonly type: "Populate"; readonly intents: readonly PopulationIntent[] }
  /** What uses a volume goes down, or comes back. */
  | { readonly type: "Scale"; readonly intents: readonly ScalingIntent[] }
  /** What is done around the capture of volumes. */
  | { readonly type: "Hooks"; readonly series: HookSeries; readonly intents: readonly HookIntent[] }
  /** Every run of the object is told to end. */
  | { readonly type: "EndRuns" }
  /** The object cannot go before its finalizer is removed, and carries these labels. */
  | { readonly type: "Hold"; readonly finalizer: string; readonly labels: Readonly<Record<string, string>> }
  | { readonly type: "LetGo"; readonly finalizer: string };
