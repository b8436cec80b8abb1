import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { keyOf } from "../../kube/object.ts";
import { didYouMean } from "../../lib/did_you_mean.ts";
import type { Cluster } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import { backupsOf, type Recipe } from "./recipe_backups.ts";

/**
 * Throws a CommandProblem for a BackupConfig that is not there and of which no Backup is known: a Restore of it would only
 * wait.
 */
export async function refuseUnknown(
  { client }: Pick<Cluster, "client">,
  { recipe, backups }: { readonly recipe: Recipe; readonly backups: readonly Backup[] },
  signal: AbortSignal,
): Promise<void> {
  if (!recipe.gone || backupsOf(backups, recipe).length > 0) return;
  const { namespace, name } = recipe;
  const { items } = await client.list(backupConfigResource, { namespace, signal, omitManagedFields: true });
  const known = items.map(({ metadata }) => metadata.name);
  const meant = didYouMean(name, known);
  throw new CommandProblem(`there is no BackupConfig ${keyOf({ namespace, name })}, and no Backup of it`, {
    why: known.length > 0 ? `There is ${known.join(", ")}.` : "There is none in that namespace.",
    fix: meant
      ? `Did you mean config/${meant}?`
      : "holdfast list configs shows them; another namespace is named with --from-namespace.",
    code: EXIT.notFound,
  });
}
