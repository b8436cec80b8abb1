import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { cut, LONGEST_OF_MANY } from "../run_words.ts";
import type { PartStand } from "./reached_part.ts";
import type { ReachEntry } from "./recipe_intent.ts";

/** The reason of a recipe that the API server does not let be repeated somewhere. */
export const RECIPE_REFUSED = "RecipeRefused";

/** What the status says of a namespace where the recipe was refused. */
export function refusedEntry(entry: ReachEntry, why: string): ReachEntry {
  return { ...entry, reason: RECIPE_REFUSED, message: cut(`It is refused there: ${why}`, LONGEST_OF_MANY) };
}

/** That the recipe was refused in a namespace as it is now, so that it is not waited for: nothing else would end that. */
export function refusalIn({ metadata, status }: BackupConfig, namespace: string): PartStand | undefined {
  if (status?.observedGeneration !== metadata.generation) return undefined;
  const { reason, message = "" } = status?.namespaces?.find((one) => one.namespace === namespace) ?? {};
  return reason === RECIPE_REFUSED ? { state: "failed", reason, message } : undefined;
}
