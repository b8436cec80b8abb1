import type { BackupConfig, BackupConfigStatus } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Draft } from "../../../kube/object.ts";

/** What is to be done about a recipe that repeats one of another namespace. */
export type RecipeIntent =
  | { readonly type: "Make"; readonly draft: Draft<BackupConfig> }
  /** As it was seen: another one of its name is left alone. */
  | { readonly type: "Adapt"; readonly derived: BackupConfig; readonly draft: Draft<BackupConfig> };

/** How a recipe stands in a namespace, as its status says. */
export type ReachEntry = NonNullable<BackupConfigStatus["namespaces"]>[number];

export interface RecipeIntents {
  readonly intents: readonly RecipeIntent[];
  /** What the status says meanwhile. */
  readonly namespaces: readonly ReachEntry[];
}
