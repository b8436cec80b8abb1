import { GROUP } from "./group.ts";

/** On a PodVolumeBackup or PodVolumeRestore that has not ended: the data path lets go of the volume first. */
export const POD_VOLUME = `${GROUP}/pod-volume-finalizer`;
