/** The phases of each kind, in the order in which an object usually goes through them. */
export const REPOSITORY_PHASES = ["Pending", "Initializing", "Ready", "Degraded", "Failed"] as const;
export const BACKUP_CONFIG_PHASES = ["Pending", "Ready", "Degraded", "Failed"] as const;
export const BACKUP_PHASES = ["Pending", "Running", "Succeeded", "Failed", "Deleting", "Discovered"] as const;
export const BACKUP_SCHEDULE_PHASES = ["Pending", "Active", "Suspended", "Failed"] as const;
export const RESTORE_PHASES = ["Pending", "Resolving", "Restoring", "Completed", "Failed"] as const;
export const MAINTENANCE_PHASES = ["Pending", "Ready", "Running", "Suspended", "Failed"] as const;

export type MaintenancePhase = (typeof MAINTENANCE_PHASES)[number];
