import type { RestoreSpec } from "../../../kinds/kopiur/generated/restore.ts";

type Options = RestoreSpec["options"];

/** What is done about owners and modes that cannot be set as they were. */
export function ownershipOf({
  ownership,
  ignorePermissionErrors,
}: Options): NonNullable<Options["ownership"]> {
  return ownership ?? (ignorePermissionErrors ? "BestEffort" : "Exact");
}
