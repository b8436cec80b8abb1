import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import { backupsOf, type Recipe, sourcesOf, startOf } from "./recipe_backups.ts";

export interface Point {
  readonly asOf?: string | undefined;
  readonly offset: number;
  /** The volume that is meant, where the recipe has several. */
  readonly claim?: string | undefined;
}

/**
 * The Backup of a recipe that a choice by time is likely to fall on. Only the repository knows for sure: it may hold
 * snapshots that no Backup stands for.
 */
export function likelyBackup(
  backups: readonly Backup[],
  recipe: Recipe,
  { asOf, offset, claim }: Point,
): Backup | undefined {
  const until = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf);
  return backupsOf(backups, recipe, claim).filter((backup) => Date.parse(startOf(backup)) <= until)[offset];
}

/** The claim whose data a Restore of a recipe takes: of several, that which is restored into stands for its namesake. */
export function restoredClaim(
  { resolved }: Recipe,
  { pvc, target }: { readonly pvc: string | undefined; readonly target: string | undefined },
): string | undefined {
  return pvc ?? (sourcesOf(resolved).length > 1 ? target : undefined);
}
