/** Where VolSync's movers mount the volume: the path that its snapshots are recorded under. */
export const VOLSYNC_PATH = "/data";
/** The host name that VolSync gives to all of restic's snapshots. */
export const VOLSYNC_HOST = "volsync";
