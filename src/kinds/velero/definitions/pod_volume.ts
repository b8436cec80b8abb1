import { z } from "zod";
import { DATA_PATH_PHASES } from "../phases.ts";
import { bytes, message, moment, name, settings, text } from "./words.ts";

/** A reference to a pod, in the form that Kubernetes has for objects of any kind. */
export const podRef = () =>
  z
    .object({
      apiVersion: name().describe("API version of the pod.").optional(),
      fieldPath: text(1024).describe("A part of the pod. Unused.").optional(),
      kind: name().describe("Kind of the object, which is Pod.").optional(),
      name: name().describe("Name of the pod.").optional(),
      namespace: name().describe("Namespace of the pod.").optional(),
      resourceVersion: name().describe("Version of the pod when the reference was written.").optional(),
      uid: name().describe("UID of the pod.").optional(),
    })
    .meta({ "x-kubernetes-map-type": "atomic" });

/** What both kinds say of the volume and of how its data is moved. */
export const dataPathSpec = {
  backupStorageLocation: name().describe("The BackupStorageLocation that holds the repository."),
  cancel: z.boolean().describe("Ends the work. It may be set in any phase.").optional(),
  repoIdentifier: text(4096).describe("Address of a restic repository. Empty for kopia."),
  uploaderSettings: settings().nullable().describe("Settings of the transfer.").optional(),
  volume: name().describe("Name of the volume in the pod's spec."),
};

/** What both kinds report. */
export const dataPathStatus = {
  acceptedTimestamp: moment().describe("When the operator began to prepare the mover pod."),
  completionTimestamp: moment().describe("When the work ended, whether or not it succeeded."),
  message: message().describe("Why it waits or failed, or what the snapshot does not hold."),
  phase: z.enum(DATA_PATH_PHASES).describe("How far it is.").optional(),
  progress: z
    .object({
      bytesDone: bytes().describe("Bytes that were moved."),
      totalBytes: bytes().describe("Bytes that there are to move, as far as known."),
    })
    .describe("How much of the data has been moved.")
    .optional(),
  startTimestamp: moment().describe("When the mover was told to start."),
};

export const COLUMNS = {
  status: { name: "Status", type: "string", jsonPath: ".status.phase", description: "Phase" },
  started: {
    name: "Started",
    type: "date",
    jsonPath: ".status.startTimestamp",
    description: "Time since the start",
  },
  bytesDone: {
    name: "Bytes Done",
    type: "integer",
    format: "int64",
    jsonPath: ".status.progress.bytesDone",
    description: "Bytes that were moved",
  },
  totalBytes: {
    name: "Total Bytes",
    type: "integer",
    format: "int64",
    jsonPath: ".status.progress.totalBytes",
    description: "Bytes to move",
  },
  location: {
    name: "Storage Location",
    type: "string",
    jsonPath: ".spec.backupStorageLocation",
    description: "BackupStorageLocation of the repository",
  },
  age: {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    description: "Time since the creation",
  },
} as const;
