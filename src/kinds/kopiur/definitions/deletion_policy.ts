import { z } from "zod";

/** What becomes of the snapshots when a Backup is deleted. */
export const deletionPolicy = () => z.enum(["Delete", "Retain", "Orphan"]);

export const DELETION_POLICY =
  "Delete: the snapshots go too. Retain: they stay, and may be found again. Orphan: they stay, and the repository is not even asked.";
