import type { SnapshotView } from "../../core/view/view.ts";
import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { keyOf } from "../../kube/object.ts";
import type { SnapshotPage, SnapshotRow } from "./contract.ts";
import type { Looked } from "./fresh_views.ts";

type Seen = Pick<Looked, "parts" | "runs">;

/** A list is asked for in many pages: its rows are made once for each state that was looked at. */
const made = new WeakMap<Seen, readonly SnapshotRow[]>();

/** The snapshots of all APIs, with what their objects tell beside: the newest first. */
export function snapshotRows(seen: Seen): readonly SnapshotRow[] {
  const known = made.get(seen);
  if (known) return known;
  const rows = rowsIn(seen)
    .map((row) => [Date.parse(row.at), row] as const)
    .toSorted(([a], [b]) => b - a)
    .map(([, row]) => row);
  made.set(seen, rows);
  return rows;
}

function rowsIn({ parts, runs }: Seen): readonly SnapshotRow[] {
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

/** Those of the rows that are asked for, in their order. */
export function snapshotPage(rows: readonly SnapshotRow[], query: SnapshotQuery): SnapshotPage {
  const { volume, text = "", offset, limit } = query;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows
    .filter((row) => volume === undefined || row.claim === volume)
    .filter((row) => words.every((word) => textOf(row).includes(word)));
  return { total: found.length, offset, items: found.slice(offset, offset + limit) };
}

function textOf({ object, claim, api, origin = "", at }: SnapshotRow): string {
  return `${object.name} ${claim} ${api} ${origin} ${at}`.toLowerCase();
}
