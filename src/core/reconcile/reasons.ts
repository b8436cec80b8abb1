/** Reasons that users may rely on: the same word in the condition, the event, the log and the metric. */
export const REASONS = {
  /** Connected with the settings of the spec. */
  connectFromConfig: "ConnectFromConfig",
  /** The driver cannot capture several volumes at one moment. */
  groupSnapshotUnsupported: "GroupSnapshotUnsupported",
  /** No Maintenance names the repository. */
  maintenanceNotConfigured: "MaintenanceNotConfigured",
  /** A snapshot was left in the repository on purpose; the event names its ID. */
  snapshotOrphaned: "SnapshotOrphaned",
  snapshotDeletionFailed: "SnapshotDeletionFailed",
  /** It waits for a slot at a repository. */
  queued: "Queued",
  /** The storage of a repository failed again and again: work on it waits. */
  breakerOpen: "BreakerOpen",
  /** Many Backups were deleted at once: nothing is deleted in the repository until someone acknowledges it. */
  deletionHeld: "DeletionHeld",
  /** Someone asked for its end. */
  cancelled: "Cancelled",
  backupSkipped: "BackupSkipped",
  /** The repository holds no snapshot that would fit, and said so. */
  snapshotMissing: "SnapshotMissing",
  /** Someone else maintains the repository. */
  ownedByAnother: "OwnedByAnother",
  /** Another object stands for the same stored repository, and the repository is maintained through that one. */
  sharedRepository: "SharedRepository",
  /** The storage of a repository has lost data that snapshots need. */
  dataMissing: "DataMissing",
  /** A run read data of a repository that is damaged. */
  damagedDataRead: "DamagedDataRead",
  /** Nothing may be written to the repository from here. */
  repositoryReadOnly: "RepositoryReadOnly",
  populatorBypassed: "PopulatorBypassed",
  /** A restore began to write into a volume and has not completed: no backup of it is made. */
  volumeHalfWritten: "VolumeHalfWritten",
} as const;

export type Reason = (typeof REASONS)[keyof typeof REASONS];
