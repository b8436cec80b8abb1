import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { count, snapshotID, text, texts } from "./words.ts";

const hitSnapshot = z.object({
  snapshotID: snapshotID().describe("ID of the snapshot."),
  identity: text(256).describe("Its identity, as username@hostname:path; cut where it is longer."),
  startedAt: v.timestamp().describe("When it began.").optional(),
  backup: text(317).describe("Its Backup, as namespace/name, if there is one.").optional(),
  files: count().describe("Number of damaged files and folders in it. Counting ends at 1000."),
  examples: texts({ maxItems: 2, maxLength: 128 }).describe("Some of them; a dot is the root.").optional(),
});

/** What the storage of a repository has lost, and which snapshots need it. */
export const missingData = () =>
  z.object({
    packs: count().describe("Number of packs that the repository's index names and its storage has lost."),
    snapshots: count()
      .describe("Number of snapshots that need them. Absent if the list of snapshots is unreadable.")
      .optional(),
    unexamined: count()
      .describe("Number of snapshots that the check did not examine, because there are too many.")
      .optional(),
    hit: z.array(hitSnapshot).max(6).describe("The newest of the snapshots that need them.").optional(),
  });
