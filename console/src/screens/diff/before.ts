import type { FilesOf, SnapshotRow } from "../../../../src/cli/console/contract.ts";
import { isOf } from "../../api/use_snapshots.ts";

/** The snapshot before another, of rows with the newest first; the newest, where the other is not among them. */
export function before<T extends SnapshotRow>(rows: readonly T[], of: FilesOf): T | undefined {
  return rows[rows.findIndex((row) => isOf(row, of)) + 1];
}
