import { largestOf } from "../../core/restore/deletion_doubt.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import { startOf } from "./recipe_backups.ts";

/** What there is of a claim that is written over. */
export interface TargetBackups {
  /** The last good one: what was written since then is in no backup. */
  readonly last?: { readonly name: string; readonly at: string; readonly sizeBytes?: number | undefined };
  /** The most that the last ones held. */
  readonly largest?: number | undefined;
}

/** The Backups of a claim, which is named as namespace/name. */
export function targetBackups(backups: readonly Backup[], claim: string): TargetBackups {
  const own = backups
    .flatMap((backup) => {
      const snapshot = backup.status?.snapshots?.find(({ pvc }) => pvc === claim);
      const isGood = backup.status?.phase === "Succeeded" && snapshot?.incomplete === undefined;
      if (!snapshot || !isGood) return [];
      return [{ name: backup.metadata.name, at: startOf(backup), sizeBytes: snapshot.sizeBytes }];
    })
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const [last] = own;
  const largest = largestOf(
    own.flatMap(({ name: id, at, sizeBytes: bytes }) =>
      bytes === undefined ? [] : [{ id, at: Date.parse(at), bytes }],
    ),
  );
  return { ...(last ? { last } : {}), ...(largest === undefined ? {} : { largest }) };
}
