import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { namespacedRef } from "./references.ts";
import { count, foreignIdentityPart, recordedPath, snapshotID, text } from "./words.ts";

/** Which of several volumes to restore. */
const pick = {
  pvc: text(317)
    .min(1)
    .describe(
      "Which of several volumes: the PVC that was backed up, as name or namespace/name. Default: the target's name.",
    )
    .optional(),
  sourcePath: recordedPath().describe("Which of several volumes, by its recorded path.").optional(),
};

const asOf = () => v.timestamp().describe("The newest snapshot at this time, or before.").optional();

/** A mover answers with a hundred snapshots. */
const offset = () => count().max(99);
const FURTHER = "At most 99: to go further back, use asOf.";

const onlyOnePick = {
  rule: "!(has(self.pvc) && has(self.sourcePath))",
  message: "only one of pvc, sourcePath may be set",
} as const;

const backupRef = v
  .rule(namespacedRef("Backup").extend(pick), onlyOnePick)
  .describe("The snapshot of a Backup of any origin.");

const fromConfig = v
  .rule(
    namespacedRef("BackupConfig").extend({
      ...pick,
      asOf: asOf(),
      offset: offset()
        .default(0)
        .describe(`How many snapshots to go back from there. 0: the newest. ${FURTHER}`),
    }),
    onlyOnePick,
  )
  .describe(
    "A snapshot with the identity of a BackupConfig. The Restore asks the repository, so no Backup has to exist.",
  );

const identity = v
  .rule(
    z.object({
      username: foreignIdentityPart().describe("User name."),
      hostname: foreignIdentityPart().describe("Host name."),
      sourcePath: text(1024).min(1).describe("Path."),
      snapshotID: snapshotID().describe("Exactly this snapshot.").optional(),
      asOf: asOf(),
      offset: offset()
        .describe(`How many snapshots to go back from there. Default: 0, the newest. ${FURTHER}`)
        .optional(),
    }),
    {
      rule: "!has(self.snapshotID) || !(has(self.asOf) || has(self.offset))",
      message: "snapshotID names one snapshot: leave asOf and offset out",
    },
  )
  .describe(
    "A snapshot of any identity in the repository, also of other programs and clusters. Needs spec.repository.",
  );

/** Where the data comes from. */
export const restoreSource = () =>
  v.oneOf({ backupRef, fromConfig, identity }).describe("Where the data comes from: exactly one.");
