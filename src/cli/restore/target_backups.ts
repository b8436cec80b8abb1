import { SAFETY_TAG } from "../../core/catalog/passed_over.ts";
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
      const { name } = backup.metadata;
      const isSafety = backup.spec.tags?.[SAFETY_TAG] !== undefined;
      return [{ name, at: startOf(backup), sizeBytes: snapshot.sizeBytes, isSafety }];
    })
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  // What was made before a restore tells how large the volume was, and is no backup of what is wanted.
  const last = own.find(({ isSafety }) => !isSafety);
  const largest = largestOf(
    own.flatMap(({ name: id, at, sizeBytes: bytes }) =>
      bytes === undefined ? [] : [{ id, at: Date.parse(at), bytes }],
    ),
  );
  return { ...(last ? { last: lastOf(last) } : {}), ...(largest === undefined ? {} : { largest }) };
}

type Last = NonNullable<TargetBackups["last"]>;

function lastOf({ name, at, sizeBytes }: Last): Last {
  return { name, at, sizeBytes };
}
