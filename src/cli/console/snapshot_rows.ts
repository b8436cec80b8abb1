import type { SnapshotView } from "../../core/view/view.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../kube/object.ts";
import type { SnapshotPage, SnapshotRow } from "./contract.ts";
import type { Looked } from "./fresh_views.ts";

/** The snapshots of one API, with what its objects tell beside. */
export function snapshotRows({ parts, runs }: Pick<Looked, "parts" | "runs">): readonly SnapshotRow[] {
  const backups = new Map(
    runs
      .filter(({ kind }) => kind.resource === backupResource)
      .map(({ object }) => [keyOf(object) as string, object as Backup]),
  );
  return parts.flatMap(({ api, part }) =>
    part.snapshots().map((snapshot): SnapshotRow => {
      const own = snapshot.object.kind === backupResource.kind && api === "kopiur";
      const backup = own ? backups.get(keyOf(snapshot.object)) : undefined;
      return { ...snapshot, api, ...(backup ? toldBy(backup, snapshot) : {}) };
    }),
  );
}

/** What the native API tells of a snapshot; the files of these can be looked at. */
function toldBy(backup: Backup, { claim }: SnapshotView): Partial<SnapshotRow> {
  const { metadata, status } = backup;
  const { namespace = "", name, annotations } = metadata;
  const repository = status?.resolved?.repository;
  const several = (status?.snapshots?.length ?? 0) > 1;
  const held = annotations?.[ANNOTATIONS.hold] === "true";
  return {
    ...(status?.origin ? { origin: status.origin } : {}),
    ...(held ? { held } : {}),
    ...(repository
      ? {
          repository: {
            kind: repository.kind ?? "Repository",
            name: repository.name,
            ...(repository.namespace === undefined ? {} : { namespace: repository.namespace }),
          },
        }
      : {}),
    files: { namespace, backup: name, ...(several ? { pvc: claim.slice(claim.indexOf("/") + 1) } : {}) },
  };
}

export interface SnapshotQuery {
  /** As namespace/name. */
  readonly volume?: string | undefined;
  readonly text?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Those that are asked for, the newest first. */
export function snapshotPage(rows: readonly SnapshotRow[], query: SnapshotQuery): SnapshotPage {
  const { volume, text = "", offset, limit } = query;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows
    .filter((row) => volume === undefined || row.claim === volume)
    .filter((row) => words.every((word) => textOf(row).includes(word)))
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return { total: found.length, offset, items: found.slice(offset, offset + limit) };
}

function textOf({ object, claim, api, origin = "", at }: SnapshotRow): string {
  return `${object.name} ${claim} ${api} ${origin} ${at}`.toLowerCase();
}
