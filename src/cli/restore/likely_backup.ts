import type { Backup } from "../../kinds/kopiur/generated/backup.ts";

export interface Wanted {
  readonly config: string;
  readonly namespace: string;
  readonly asOf?: string | undefined;
  readonly offset: number;
}

/**
 * The Backup of a recipe that a choice by time is likely to fall on. Only the repository knows for sure: it may hold
 * snapshots that no Backup stands for.
 */
export function likelyBackup(backups: readonly Backup[], wanted: Wanted): Backup | undefined {
  const { config, namespace, asOf, offset } = wanted;
  const until = asOf === undefined ? Number.POSITIVE_INFINITY : Date.parse(asOf);
  return backups
    .filter(
      ({ spec, status, metadata }) =>
        spec.configRef?.name === config &&
        (spec.configRef.namespace ?? metadata.namespace) === namespace &&
        status?.phase === "Succeeded",
    )
    .map((backup) => ({ backup, at: Date.parse(startOf(backup)) }))
    .filter(({ at }) => at <= until)
    .toSorted((a, b) => b.at - a.at)[offset]?.backup;
}

function startOf({ status, metadata }: Backup): string {
  return status?.timing?.startTime ?? metadata.creationTimestamp;
}
