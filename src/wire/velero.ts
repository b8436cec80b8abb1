/** The host name that Velero gave to all of restic's snapshots. It ran restic in the folder of the volume. */
export const VELERO_RESTIC_HOST = "velero";
