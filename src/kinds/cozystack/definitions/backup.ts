import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { BACKUP_PHASES } from "../phases.ts";
import {
  AGE,
  APPLICATION,
  applicationRef,
  conditions,
  count,
  KIND,
  KIND_NAMES,
  localRef,
  observedGeneration,
  PHASE,
  REASON,
  strategyRef,
  text,
} from "./parts.ts";

const frozen = v.immutableFields(
  z.object({
    applicationRef: applicationRef().describe("The application that was backed up."),
    planRef: localRef("Plan").describe("The Plan that it belongs to, if any.").optional(),
    strategyRef: strategyRef().describe("The strategy by which it was made, and is restored."),
    takenAt: v.timestamp().describe("The moment of the data."),
    driverMetadata: v
      .stringMap({ maxEntries: 64, maxLength: 4096 })
      .describe(
        "What the driver needs to restore it, and the parameters of the BackupClass as they were at backup time.",
      )
      .optional(),
  }),
  "applicationRef",
  "strategyRef",
  "takenAt",
);

// A restore goes by them: whoever could point one at other data would get that data.
const spec = v.setOnce(frozen, "planRef", "driverMetadata");

const artifact = z.object({
  uri: text(2048).describe("Where the data is."),
  sizeBytes: count().describe("Its size in bytes.").optional(),
  size: text(32).describe("Its size, for people.").optional(),
  checksum: text(256).describe("A checksum of the data, where the driver has one.").optional(),
});

export const backup = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "Backup",
  plural: "backups",
  scope: "Namespaced",
  description:
    "The data of an application at one moment, from which it can be restored. Deleting it deletes the data, if its strategy says so.",
  spec: spec.describe("What was backed up, when and how."),
  status: z
    .object({
      phase: z.enum(BACKUP_PHASES).describe("Whether it can be restored.").optional(),
      artifact: artifact.describe("The data in its storage.").optional(),
      message: text(4096).describe("What is wrong, or what happens.").optional(),
      driverState: v
        .stringMap({ maxEntries: 32, maxLength: 1024 })
        .describe("What the driver remembers while it deletes the data. Only the driver reads it.")
        .optional(),
      observedGeneration: observedGeneration(),
      conditions: conditions(),
    })
    .describe("Whether it can be used."),
  printerColumns: [
    PHASE,
    KIND,
    APPLICATION,
    { name: "Strategy", type: "string", jsonPath: ".spec.strategyRef.kind" },
    { name: "Size", type: "string", jsonPath: ".status.artifact.size" },
    { name: "Taken", type: "date", jsonPath: ".spec.takenAt" },
    { name: "Plan", type: "string", jsonPath: ".spec.planRef.name", priority: 1 },
    { name: "URI", type: "string", jsonPath: ".status.artifact.uri", priority: 1 },
    REASON,
    AGE,
  ],
});
