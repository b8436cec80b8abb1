import { GROUP } from "./group.ts";

/** Annotations that people set, each on the kind that its line names. */
export const ANNOTATIONS = {
  /** Backup, Maintenance: `true` lets the object go without contacting the repository. */
  skipSnapshotCleanup: `${GROUP}/skip-snapshot-cleanup`,
  /** Namespace: `true` lets movers in it run with privileges. */
  allowPrivilegedMovers: `${GROUP}/allow-privileged-movers`,
  /** Backup, Restore, Maintenance: `true` ends the run. */
  cancel: `${GROUP}/cancel`,
  /** Backup: `true` keeps it whatever retention says. */
  hold: `${GROUP}/hold`,
  /** BackupConfig: the new identity, `username@hostname`, that may replace the pinned one. */
  acknowledgeIdentity: `${GROUP}/acknowledge-identity-change`,
  /** Repository, ClusterRepository: the ID of the repository that may replace the known one. */
  acknowledgeRepository: `${GROUP}/acknowledge-repository-change`,
  /** Repository, ClusterRepository: the token of the held deletions that may go on. */
  acknowledgeDeletions: `${GROUP}/acknowledge-deletions`,
  /** BackupConfig: the name of the Backup whose smaller source is accepted, so that pruning goes on. */
  acknowledgeShrink: `${GROUP}/acknowledge-shrink`,
  /** Repository, ClusterRepository: a new value reads the catalogue anew. */
  refreshCatalog: `${GROUP}/refresh-catalog`,
  /** Maintenance: a new value runs it now; it begins with `quick` or `full`. */
  runRequested: `${GROUP}/run-requested`,
  /** Maintenance: the owner that may be replaced, where the takeover policy asks first. */
  acknowledgeTakeover: `${GROUP}/acknowledge-takeover`,
} as const;

/** Written at admission: the references into other namespaces that the author was allowed to make. */
export const CONSENT_ANNOTATION = `${GROUP}/consented-references`;
