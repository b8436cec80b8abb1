import { GROUP } from "./group.ts";

/** On a PodVolumeBackup or PodVolumeRestore that has not ended: the data path lets go of the volume first. */
export const POD_VOLUME = `${GROUP}/pod-volume-finalizer`;

/** On a DataUpload or DataDownload that Velero's own node agent has seen. */
export const DATA_MOVEMENT = `${GROUP}/data-upload-download-finalizer`;
