import { useQuery } from "@tanstack/react-query";
import type { Action, FilesOf, SnapshotRow } from "../../../src/cli/console/contract.ts";
import { rightsQuery } from "../api/queries.ts";
import { isOf } from "../api/use_snapshots.ts";

/**
 * Why the person may not do this; undefined where they may, and until it is known: the server decides in any case. `of`: the
 * Backup or repository that it is done to, where that tells which namespace counts.
 */
export function useDenial(action: Action, namespace: string | undefined, of?: string): string | undefined {
  const { data } = useQuery(rightsQuery(namespace, of));
  if (data === undefined) return undefined;
  const right = data[action];
  if (right?.allowed) return undefined;
  return right?.why ?? `You may not do this in ${namespace ?? "this cluster"}.`;
}

/** Why the person may not look into a snapshot: what counts is where its repository is, which its row tells. */
export function useFilesDenial(
  of: Partial<FilesOf> | undefined,
  rows: readonly SnapshotRow[],
): string | undefined {
  const repository = of && rows.find((row) => isOf(row, of))?.repository;
  const named = repository && `${repository.kind.toLowerCase()}/${repository.name}`;
  return useDenial("files", repository?.namespace ?? of?.namespace, named);
}
