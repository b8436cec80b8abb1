import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import { GROUP, VERSION } from "../group.ts";
import { COLUMNS, dataPathSpec, dataPathStatus, podRef } from "./pod_volume.ts";
import { bytes, name, settings, text } from "./words.ts";

export const podVolumeBackup = defineKind({
  group: GROUP,
  version: VERSION,
  kind: "PodVolumeBackup",
  plural: "podvolumebackups",
  scope: "Namespaced",
  statusSubresource: false,
  description: "A backup of one volume of a running pod, through the files on its node.",
  spec: z
    .object({
      ...dataPathSpec,
      node: name().describe("The node that the pod runs on."),
      pod: podRef().describe("The pod that uses the volume."),
      tags: settings().describe("Names of the backup, the pod and the volume, for people.").optional(),
      uploaderType: z.enum(["kopia", ""]).describe("What moves the data. Empty means kopia.").optional(),
    })
    .describe("Which volume to back up, and where to."),
  status: z
    .object({
      ...dataPathStatus,
      incrementalBytes: bytes().describe("Bytes that were new or changed since the snapshot before."),
      path: text(4096).describe("Path of the volume in the mover pod.").optional(),
      snapshotID: text(256).describe("ID of the snapshot. Set only once it is complete.").optional(),
    })
    .describe("How far the backup is, and what it made."),
  printerColumns: [
    COLUMNS.status,
    COLUMNS.started,
    COLUMNS.bytesDone,
    COLUMNS.totalBytes,
    COLUMNS.location,
    COLUMNS.age,
    { name: "Node", type: "string", jsonPath: ".spec.node", description: "Node of the pod" },
    { name: "Uploader", type: "string", jsonPath: ".spec.uploaderType", description: "What moves the data" },
  ],
});
