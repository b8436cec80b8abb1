import type { Decision as SharedDecision, Intent as SharedIntent } from "../../core/reconcile/decision.ts";
import type { KeptSnapshots } from "../../core/repository/kept_snapshots.ts";
import type { ChildIntent } from "./children/child.ts";
import type { DerivedConfigIntents } from "./multi_namespace/namespace_state.ts";

/** What this API does beyond what every API may. */
export type OwnIntent =
  /** The Backups that do the work of one in other namespaces are made, adapted, or go. */
  | { readonly type: "Children"; readonly intents: readonly ChildIntent[] }
  /** The BackupConfigs that repeat one in other namespaces are made, or adapted. */
  | ({ readonly type: "DerivedConfigs" } & DerivedConfigIntents)
  /** A repository's list of deletions that are not done names these. */
  | { readonly type: "NoteKept"; readonly kept: KeptSnapshots };

export type Decision<Status> = SharedDecision<Status, OwnIntent>;

export type Intent = SharedIntent | OwnIntent;
