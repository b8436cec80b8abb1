import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { count, snapshotID, text, texts } from "./words.ts";

const hitSnapshot = z.object({
  snapshotID: snapshotID().describe("ID of the snapshot."),
  identity: text(256).describe("Its identity, as username@hostname:path; cut where it is longer."),
  startedAt: v.timestamp().describe("When it was begun.").optional(),
  backup: text(317).describe("The Backup that stands for it, as namespace/name, if there is one.").optional(),
  files: count().describe("Files and folders in it that are not whole. Counting ends at 1000."),
  examples: texts({ maxItems: 2, maxLength: 128 }).describe("Some of them; a dot is the root.").optional(),
});

/** What the storage of a repository has lost, and which snapshots need it. */
export const missingData = () =>
  z.object({
    packs: count().describe("Packs that the repository's index names and its storage does not hold."),
    snapshots: count()
      .describe("Snapshots that need them. Absent where the list of snapshots could not be read.")
      .optional(),
    unexamined: count().describe("Snapshots that were not examined, because there are too many.").optional(),
    hit: z.array(hitSnapshot).max(6).describe("The newest of the snapshots that need them.").optional(),
  });
