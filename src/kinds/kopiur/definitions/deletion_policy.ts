import { z } from "zod";

/** What happens to the snapshots when a Backup is deleted. */
export const deletionPolicy = () => z.enum(["Delete", "Retain", "Orphan"]);

export const DELETION_POLICY =
  "Delete: Holdfast deletes the snapshots too. Retain: they stay, and can be discovered again. Orphan: they stay, and Holdfast does not contact the repository.";
