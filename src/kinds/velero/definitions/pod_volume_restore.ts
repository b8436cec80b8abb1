import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import { GROUP, VERSION } from "../group.ts";
import { COLUMNS, dataPathSpec, dataPathStatus, podRef } from "./pod_volume.ts";
import { bytes, name, text } from "./words.ts";

export const podVolumeRestore = defineKind({
  group: GROUP,
  version: VERSION,
  kind: "PodVolumeRestore",
  plural: "podvolumerestores",
  scope: "Namespaced",
  statusSubresource: false,
  description: "A restore of one volume of a pod that waits for its data, through the files on its node.",
  spec: z
    .object({
      ...dataPathSpec,
      pod: podRef().describe("The pod that waits for the data."),
      snapshotID: text(256).describe("ID of the snapshot to restore."),
      snapshotSize: bytes().describe("Bytes that the snapshot holds, if known."),
      sourceNamespace: name().describe("Namespace that the data was backed up from."),
      uploaderType: z
        .enum(["kopia", "restic", ""])
        .describe("What made the snapshot. Empty means kopia.")
        .optional(),
    })
    .describe("Which snapshot to restore, and into which volume."),
  status: z
    .object({
      ...dataPathStatus,
      node: name().describe("The node that the restore runs on.").optional(),
    })
    .describe("How far the restore is."),
  printerColumns: [
    COLUMNS.status,
    COLUMNS.started,
    COLUMNS.bytesDone,
    COLUMNS.totalBytes,
    COLUMNS.location,
    COLUMNS.age,
    { name: "Node", type: "string", jsonPath: ".status.node", description: "Node of the pod" },
    {
      name: "Uploader Type",
      type: "string",
      jsonPath: ".spec.uploaderType",
      description: "What made the snapshot",
    },
  ],
});
