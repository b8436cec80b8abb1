import type { ClaimRequest } from "../../core/volumes/claim_request.ts";
import type { PopulationIntent } from "../../core/volumes/populator/population_decision.ts";
import type { StagingIntent } from "../../core/volumes/staging/staging_decision.ts";
import type { TaskDecision } from "../../core/work/task_decision.ts";
import type { HookIntent } from "../../core/workloads/hooks/decide_hooks.ts";
import type { HookSeries } from "../../core/workloads/hooks/hook.ts";
import type { ScalingIntent } from "../../core/workloads/scaling/scaling_intent.ts";
import type { EventNote } from "../../kube/write/events.ts";
import type { DelegateIntent } from "./backup/delegate/delegate_intent.ts";
import type { RecipeIntents } from "./reach/recipe_intent.ts";
import type { KeptSnapshots } from "./repository/kept_snapshots.ts";

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
  | { readonly type: "Run"; readonly decision: Pick<TaskDecision, "intents"> }
  | { readonly type: "EnsureClaim"; readonly request: ClaimRequest }
  /** What a mover is to read is made, or removed. */
  | { readonly type: "Stage"; readonly intents: readonly StagingIntent[] }
  /** A claim that is to be born with its data gets on. */
  | { readonly type: "Populate"; readonly intents: readonly PopulationIntent[] }
  /** What uses a volume goes down, or comes back. */
  | { readonly type: "Scale"; readonly intents: readonly ScalingIntent[] }
  /** What is done around the capture of volumes. */
  | { readonly type: "Hooks"; readonly series: HookSeries; readonly intents: readonly HookIntent[] }
  /** A Backup beside a recipe of another namespace is made, or goes. */
  | { readonly type: "Delegate"; readonly intent: DelegateIntent }
  /** The same in several namespaces, where one that is refused keeps no other from being made. */
  | { readonly type: "Delegates"; readonly intents: readonly DelegateIntent[] }
  /** The recipes that repeat one in other namespaces are made, or adapted. */
  | ({ readonly type: "Recipes" } & RecipeIntents)
  /** Every run of the object is told to end. */
  | { readonly type: "EndRuns" }
  /** The object cannot go before its finalizer is removed, and carries these labels. */
  | { readonly type: "Hold"; readonly finalizer: string; readonly labels: Readonly<Record<string, string>> }
  /** A repository's list of deletions that are not done names these. */
  | { readonly type: "NoteKept"; readonly kept: KeptSnapshots }
  | { readonly type: "LetGo"; readonly finalizer: string };
