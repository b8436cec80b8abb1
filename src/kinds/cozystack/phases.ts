/** The phases of each kind, in the order in which an object usually goes through them. */
export const PLAN_PHASES = ["Pending", "Active", "Suspended", "Failed"] as const;
export const JOB_PHASES = ["Pending", "Running", "Succeeded", "Failed"] as const;
export const BACKUP_PHASES = ["Pending", "Ready", "Failed", "Deleting"] as const;
