/** The types of conditions, besides Ready, Reconciling and Stalled, which every kind has. */
export const CONDITIONS = {
  /** Repository, ClusterRepository: the repository answered. */
  connected: "Connected",
  /** Repository, ClusterRepository: runs could use its storage; where not, new work waits. */
  storageHealthy: "StorageHealthy",
  /** Repository, ClusterRepository: it is maintained under our name. */
  maintenanceOwned: "MaintenanceOwned",
  /** Repository, ClusterRepository: a Maintenance names it. */
  maintenanceConfigured: "MaintenanceConfigured",
  /** Repository, ClusterRepository: its storage holds everything that its snapshots need, as the last check found. */
  intact: "Intact",
  /** Repository, ClusterRepository: deletions of Backups wait to be acknowledged. */
  deletionsHeld: "DeletionsHeld",
  /** Repository, ClusterRepository: its list of snapshots was read when it was due. */
  catalogCurrent: "CatalogCurrent",
  /** Repository, ClusterRepository: so many snapshots are missing that nobody believes it yet. */
  catalogShrunk: "CatalogShrunk",
  /** ClusterRepository: its allowed namespaces are known, and no other gets in. */
  tenancyEnforced: "TenancyEnforced",
  /** BackupConfig: the repository that it names is there, and answers. */
  repositoryReachable: "RepositoryReachable",
  /** BackupConfig: the driver can capture its volumes at one moment. */
  groupSnapshotSupported: "GroupSnapshotSupported",
  /** BackupConfig: retention holds back, with the reason why. */
  pruningPaused: "PruningPaused",
  /** Backup: the hooks before the snapshot have run. */
  sourcesQuiesced: "SourcesQuiesced",
  /** Backup: the repository holds its snapshots. */
  snapshotCreated: "SnapshotCreated",
  /** Backup: a snapshot of it does not hold all of its volume; it does not count as a good one. */
  incomplete: "Incomplete",
  /** Backup: nothing had changed, and it refers to an earlier snapshot. */
  unchanged: "Unchanged",
  /** Backup: every file counted as changed, and hardly anything in them was new. */
  everythingRead: "EverythingRead",
  /** Backup: its snapshots could not be deleted. */
  snapshotDeletionFailed: "SnapshotDeletionFailed",
  /** Backup: the repository does not list a snapshot of it any more. Unknown until that is believed. */
  snapshotMissing: "SnapshotMissing",
  /** Backup: somebody pinned a snapshot of it in the repository. */
  snapshotPinned: "SnapshotPinned",
  /** BackupSchedule: the recipe that it names is there. */
  configResolvable: "ConfigResolvable",
  /** BackupSchedule: a run was left out. */
  backupSkipped: "BackupSkipped",
  /** Restore: what is restored is decided. */
  sourceResolved: "SourceResolved",
  /** Restore: the data came back; the reason says whether all of it did. */
  restored: "Restored",
  /** Restore: owners or modes differ from those in the snapshot. */
  permissionsDiffer: "PermissionsDiffer",
  /** Restore: something used the volume while the data was written into it. */
  volumeModifiedDuringRestore: "VolumeModifiedDuringRestore",
  /** Restore: its existing volume holds a part of the old and a part of the restored data. */
  targetIncomplete: "TargetIncomplete",
  /** Restore: a claim that names it was bound to a volume that is not ours. */
  populatorBypassed: "PopulatorBypassed",
  /** Maintenance: the repository is maintained under our name. */
  ownershipClaimed: "OwnershipClaimed",
  /** Maintenance: the last check of the repository found nothing. */
  repositoryHealthy: "RepositoryHealthy",
} as const;
