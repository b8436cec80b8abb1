/** How a Backup came to be: by a BackupSchedule, by someone who applied it, or found in the repository. */
export const ORIGINS = ["scheduled", "manual", "discovered"] as const;

export type Origin = (typeof ORIGINS)[number];
