import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { LOCATION_PHASES } from "../phases.ts";
import { message, moment, name, secretKey, settings, text } from "./words.ts";

const objectStorage = z.object({
  bucket: name().describe("Name of the bucket or container."),
  prefix: text(1024).describe("Folder in the bucket. Default: the bucket itself.").optional(),
  caCert: text(262_144)
    .meta({ format: "byte" })
    .describe("Certificate authorities of the storage, as PEM in base64.")
    .optional(),
  caCertRef: secretKey().describe("Key of a Secret that holds the certificate authorities.").optional(),
});

export const backupStorageLocation = defineKind({
  group: GROUP,
  version: VERSION,
  kind: "BackupStorageLocation",
  plural: "backupstoragelocations",
  shortNames: ["bsl"],
  scope: "Namespaced",
  statusSubresource: false,
  description: "A bucket or folder that backups and their repositories are stored in.",
  spec: z
    .object({
      accessMode: z
        .enum(["ReadOnly", "ReadWrite"])
        .describe("Whether backups may be stored there.")
        .optional(),
      backupSyncPeriod: v.duration().nullable().describe("How often the Velero server syncs it.").optional(),
      config: settings().describe("Settings of the provider.").optional(),
      credential: secretKey().describe("Key of a Secret that holds the credentials.").optional(),
      default: z.boolean().describe("Whether backups go there that name no location.").optional(),
      objectStorage: objectStorage.describe("Where in the storage."),
      provider: name().describe("Name of the storage's provider, such as aws."),
      validationFrequency: v
        .duration()
        .nullable()
        .describe("How often the Velero server checks the location.")
        .optional(),
    })
    .describe("Where the storage is."),
  status: z
    .object({
      accessMode: z.enum(["ReadOnly", "ReadWrite"]).describe("Unused.").optional(),
      lastSyncedRevision: text(256).describe("Unused.").optional(),
      lastSyncedTime: moment().describe("When it was last synced."),
      lastValidationTime: moment().describe("When it was last checked."),
      message: message().describe("Why it is unavailable."),
      phase: z.enum(LOCATION_PHASES).describe("Whether it can be used.").optional(),
    })
    .describe("Whether the storage can be used."),
  printerColumns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Last Validated", type: "date", jsonPath: ".status.lastValidationTime" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Default", type: "boolean", jsonPath: ".spec.default" },
  ],
});
