import type { RestoreOptions } from "../engine.ts";

/** Whether figures have to change soon where restic's line of status says this; without any it says nothing yet. */
export type MustMove = (status: Readonly<Record<string, unknown>>) => boolean;

/** restic says nothing while it reads the indexes; from the first file on its figures change with all that it does. */
export const backupMustMove: MustMove = ({ files_done, bytes_done }) =>
  amount(files_done) > 0 || amount(bytes_done) > 0;

/** While it prints what it finds in a repository: from the first word on. */
export const listingMustMove: MustMove = ({ bytes_read }) => amount(bytes_read) > 0;

/**
 * Only where content is outstanding. While restic compares a file that is there, which it does before it writes any,
 * nothing changes; nor does it when all content is there, and owners, rights and times are set.
 */
export function restoreMustMove(existing: RestoreOptions["existing"] = "Refuse"): MustMove {
  return ({ bytes_restored, total_bytes }) => {
    const compares = existing !== "Refuse" && amount(bytes_restored) === 0;
    return !compares && amount(bytes_restored) < amount(total_bytes);
  };
}

function amount(figure: unknown): number {
  return typeof figure === "number" ? figure : 0;
}
