import { whyPassedOver } from "../../core/catalog/passed_over.ts";
import { PRUNE_GUARD, shrunkRuns } from "../../core/policy/prune_guard.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { SnapshotStatus } from "../../kinds/kopiur/parts.ts";
import { backupsOf, type Recipe, snapshotsOf, startOf } from "./recipe_backups.ts";

export interface Point {
  readonly asOf?: string | undefined;
  readonly offset: number;
  /** The volume that is meant, where the recipe has several. */
  readonly claim?: string | undefined;
  readonly now: number;
}

/** What a choice by time is likely to fall on. */
export interface Likely {
  readonly backup?: Backup;
  /** Newer ones that are not taken unless somebody names them. */
  readonly passedOver: readonly PassedOver[];
}

export interface PassedOver {
  readonly backup: Backup;
  readonly why: string;
}

/**
 * The Backup of a recipe that a choice by time is likely to fall on, by the operator's own rule. Only the repository
 * knows for sure: it may hold snapshots that no Backup stands for.
 */
export function likelyBackup(
  backups: readonly Backup[],
  recipe: Recipe,
  { asOf, offset, claim, now }: Point,
): Likely {
  const until = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf);
  const passedOver: PassedOver[] = [];
  let newer = 0;
  const made = backupsOf(backups, recipe, claim);
  const small = shrunkAmong(made, recipe, claim);
  for (const backup of made) {
    const startedAt = startOf(backup);
    const snapshots = snapshotsOf(backup, recipe, claim);
    if (!(Date.parse(startedAt) <= until) || (claim !== undefined && snapshots.length === 0)) continue;
    const why = whyPassedOver(
      {
        startedAt,
        incomplete: lackOf(snapshots),
        shrunk: small.get(backup.metadata.name),
        tags: backup.spec.tags,
      },
      { asOf, now },
    );
    if (why !== undefined) passedOver.push({ backup, why });
    else if (newer++ === offset) return { backup, passedOver };
  }
  return { passedOver };
}

/** Those whose source was far smaller than before, by the rule that retention and the operator's restores go by. */
function shrunkAmong(made: readonly Backup[], recipe: Recipe, claim: string | undefined) {
  const { maxShrinkPercent = 50, accepted } = recipe.shrink ?? {};
  const runs = made.flatMap((backup) => {
    const snapshots = snapshotsOf(backup, recipe, claim);
    const [only, ...others] = snapshots;
    if (!only || others.length > 0 || only.incomplete !== undefined) return [];
    const isAlone = backup.status?.snapshots?.length === 1;
    const files = isAlone ? backup.status?.stats?.files : undefined;
    return [{ id: backup.metadata.name, at: Date.parse(startOf(backup)), bytes: only.sizeBytes, files }];
  });
  return shrunkRuns(runs, accepted, { ...PRUNE_GUARD, smallestShare: 1 - maxShrinkPercent / 100 });
}

/** Why none of a Backup's snapshots holds all of its volume; undefined where one does. */
function lackOf(snapshots: readonly SnapshotStatus[]): string | undefined {
  const isWhole = snapshots.some(({ incomplete }) => incomplete === undefined);
  return isWhole ? undefined : snapshots[0]?.incomplete;
}
