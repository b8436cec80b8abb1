import { GROUP } from "./group.ts";

/** Annotations that people set, each on the kind that its line names. */
export const ANNOTATIONS = {
  /** Backup, Maintenance: `true` lets the object go without contacting the repository. */
  skipSnapshotCleanup: `${GROUP}/skip-snapshot-cleanup`,
  /** Namespace: `true` lets movers in it run with privileges. */
  allowPrivilegedMovers: `${GROUP}/allow-privileged-movers`,
  /** Namespace: the namespaces, with commas between, whose recipes may be run here on the claims that they select. */
  allowedConfigNamespaces: `${GROUP}/allowed-backupconfig-namespaces`,
  /** Backup, Restore, Maintenance: `true` ends the run. */
  cancel: `${GROUP}/cancel`,
  /** Backup: `true` keeps it whatever retention says. */
  hold: `${GROUP}/hold`,
  /**
   * BackupConfig: the new identity, `username@hostname`, that may replace the pinned one; or, with commas between, each
   * `username@hostname:path` by which a claim gets another path.
   */
  acknowledgeIdentity: `${GROUP}/acknowledge-identity-change`,
  /** Repository, ClusterRepository: the ID of the repository that may replace the known one. */
  acknowledgeRepository: `${GROUP}/acknowledge-repository-change`,
  /** Repository, ClusterRepository: the token of the held deletions that may go on. */
  acknowledgeDeletions: `${GROUP}/acknowledge-deletions`,
  /** BackupConfig: the name of the Backup whose smaller source is accepted, so that pruning goes on. */
  acknowledgeShrink: `${GROUP}/acknowledge-shrink`,
  /** BackupConfig: the name of the last Backup that succeeded before the failures that are accepted, or `none`. */
  acknowledgeFailures: `${GROUP}/acknowledge-failures`,
  /** Restore: the Backup of its target that was made before anything was overwritten, which undoing it goes back to. */
  safetyBackup: `${GROUP}/safety-backup`,
  /** Repository, ClusterRepository: the time since which snapshots are missing that may be given up. */
  acknowledgeCatalog: `${GROUP}/acknowledge-catalog-shrink`,
  /** Repository, ClusterRepository: `true` lets one that lies on a PVC and holds snapshots be deleted. */
  acknowledgeRemoval: `${GROUP}/acknowledge-removal`,
  /** Repository, ClusterRepository: a new value reads the catalogue anew. */
  refreshCatalog: `${GROUP}/refresh-catalog`,
  /** Backup, Restore, Repository, ClusterRepository, Maintenance: a new value tries again now what failed or waits. */
  retryRequested: `${GROUP}/retry-requested`,
  /** Maintenance: a new value runs it now; it begins with `quick`, `full`, `full-immediate` or `check`. */
  runRequested: `${GROUP}/run-requested`,
  /** Maintenance: the owner that may be replaced, where the takeover policy asks first. */
  acknowledgeTakeover: `${GROUP}/acknowledge-takeover`,
} as const;

/** Written at admission: the references into other namespaces that the author was allowed to make. */
export const CONSENT_ANNOTATION = `${GROUP}/consented-references`;
/**
 * On a Backup: the operator itself deletes it, for the reason that is the value, such as `Retention`. Put there before
 * the deletion, so that the guard against mass deletions does not count it.
 */
export const DELETION_REASON_ANNOTATION = `${GROUP}/deletion-reason`;

/** On a Backup that was made for one of another namespace, by the operator alone: what that one last had it told. */
export const REQUEST_ANNOTATIONS = {
  /** The key of that one, with which it is deleted. */
  by: `${GROUP}/requested-by`,
  /** The edition of that one: another one tries again what had failed. */
  edition: `${GROUP}/requested-edition`,
  /** Its deletion policy. Whatever is said here since stays, until that one says something else. */
  deletionPolicy: `${GROUP}/requested-deletion-policy`,
  /** Who consented: `author` is for good, `recipe` and `namespace` as long as they list the other namespace. */
  consent: `${GROUP}/requested-consent`,
} as const;

/** On a BackupConfig that stands beside claims which a recipe of another namespace selects, by the operator alone. */
export const DERIVED_ANNOTATIONS = {
  /** The key of that recipe, whose words it repeats and with which it goes. */
  from: `${GROUP}/derived-from`,
  /** Its UID: a recipe that comes back under the same name is another one. */
  uid: `${GROUP}/derived-from-uid`,
} as const;

/** On a Backup that a schedule made, by the operator alone. */
export const SCHEDULE_ANNOTATIONS = {
  /** The time that cron gave, by which the run is known. */
  slot: `${GROUP}/slot`,
  /** When it was due: the same with its jitter. */
  scheduledAt: `${GROUP}/scheduled-at`,
} as const;
