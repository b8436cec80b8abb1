import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import { likelyBackup } from "./likely_backup.ts";
import { recipeOf, sourcesOf, startOf } from "./recipe_backups.ts";

/** A volume of a namespace, and the BackupConfig that holds its newest data. */
export interface BackedUpVolume {
  /** The name of its claim. */
  readonly claim: string;
  readonly config: string;
}

export interface AllVolumes {
  readonly volumes: readonly BackedUpVolume[];
  /** Claims that BackupConfigs name, and of which there is no Backup that would be taken. */
  readonly without: readonly string[];
}

export interface AllRequest {
  readonly namespace: string;
  readonly configs: readonly BackupConfig[];
  readonly backups: readonly Backup[];
  readonly asOf?: string | undefined;
  readonly now: number;
}

/** Every volume of a namespace that some BackupConfig backs up, each once: by the one with its newest Backup of that time. */
export function allVolumes({ namespace, configs, backups, asOf, now }: AllRequest): AllVolumes {
  const found = new Map<string, (BackedUpVolume & { readonly at: number }) | undefined>();
  for (const config of configs) {
    const recipe = recipeOf(config);
    for (const { pvc, sourcePath } of sourcesOf(recipe.resolved)) {
      const [where, claim = ""] = pvc.split("/");
      if (where !== namespace) continue;
      const { backup } = likelyBackup(backups, recipe, { asOf, offset: 0, claim: sourcePath, now });
      const best = found.get(claim);
      const at = backup ? Date.parse(startOf(backup)) : Number.NEGATIVE_INFINITY;
      if (backup && at > (best?.at ?? Number.NEGATIVE_INFINITY))
        found.set(claim, { claim, config: recipe.name, at });
      else if (!found.has(claim)) found.set(claim, undefined);
    }
  }
  const all = [...found].toSorted(([a], [b]) => a.localeCompare(b));
  return {
    volumes: all.flatMap(([, one]) => (one ? [{ claim: one.claim, config: one.config }] : [])),
    without: all.flatMap(([claim, one]) => (one ? [] : [claim])),
  };
}
