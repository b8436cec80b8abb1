/** The prefix of every label and annotation of this API. */
export const PREFIX = "pvc-plumber.io";

/** Labels that people set. */
export const LABELS = {
  /** PVC: `true` opts it in, `false` takes its schedule away. */
  enabled: `${PREFIX}/enabled`,
  /** PVC: `true` lets the operator write objects for it. The second half of the fuse, whatever they are written for. */
  manage: `${PREFIX}/manage-volsync`,
  /** PVC: how often it is backed up. */
  tier: `${PREFIX}/tier`,
  /** Namespace: `true` lets the operator write objects in it. */
  managedNamespace: `${PREFIX}/managed-namespace`,
  /** PVC: why it is not protected on purpose, for reports alone. */
  exempt: `${PREFIX}/exempt`,
  /** PVC: of earlier operators. Read for reports, and never an opt-in. */
  legacy: "backup",
} as const;

/** Annotations that people set on a PVC. */
export const ANNOTATIONS = {
  uid: `${PREFIX}/uid`,
  gid: `${PREFIX}/gid`,
  mode: `${PREFIX}/mode`,
  restoreMode: `${PREFIX}/restore-mode`,
  backupIdentity: `${PREFIX}/backup-identity`,
  minBackupAge: `${PREFIX}/min-backup-age`,
  skipRestore: `${PREFIX}/skip-restore`,
  skipRestoreReason: `${PREFIX}/skip-restore-reason`,
  exemptReason: `${PREFIX}/exempt-reason`,
  /** A new value makes one backup now. */
  trigger: `${PREFIX}/trigger`,
} as const;

/** Annotations that the operator sets on a PVC. */
export const STATE_ANNOTATIONS = {
  /** One of SOURCE_STATES. */
  sourceState: `${PREFIX}/source-state`,
  /** The value of `trigger` for which the backup was made. */
  handledTrigger: `${PREFIX}/handled-trigger`,
  /** The identity of another namespace that whoever asked for it may use. It tells people, and proves nothing. */
  allowedIdentity: `${PREFIX}/allowed-identity`,
} as const;

/** What the operator sets on the objects that it generates. */
export const GENERATED = {
  managedBy: "app.kubernetes.io/managed-by",
  manager: "pvc-plumber",
  sourceNamespace: `${PREFIX}/source-namespace`,
  sourcePvc: `${PREFIX}/source-pvc`,
  /** As a label, a form of the identity that a label value may have; as an annotation, the identity itself. */
  backupIdentity: `${PREFIX}/backup-identity`,
  tier: `${PREFIX}/tier`,
  volsyncPvc: "volsync.backup/pvc",
  /** An annotation: since when the object has had no PVC that asks for it. */
  unusedSince: `${PREFIX}/unused-since`,
  /** An annotation: what the object was before it was adopted, for the way back. */
  adoptedFrom: `${PREFIX}/adopted-from`,
} as const;

/** The host name of backup identities that name no namespace. */
export const IDENTITY_HOST = "pvc-plumber";

export const TIERS = ["hourly", "daily", "weekly", "manual", "disabled"] as const;
export type Tier = (typeof TIERS)[number];
/** The tiers that have a schedule. */
export const SCHEDULED_TIERS = ["hourly", "daily", "weekly"] as const;
export type ScheduledTier = (typeof SCHEDULED_TIERS)[number];

export const MODES = ["audit", "permissive", "enforce", "strict"] as const;
export type Mode = (typeof MODES)[number];

/** For one PVC alone. */
export const RESTORE_MODES = ["never", ...MODES, "force"] as const;
export type RestoreMode = (typeof RESTORE_MODES)[number];

export const SOURCE_STATES = [
  "waiting_for_pvc_bound",
  "waiting_for_restore",
  "waiting_for_min_age",
  /** Beyond the document: a ReplicationSource backs the PVC up beside native objects. */
  "waiting_for_handover",
  /** Beyond the document: an older backup is there, and the PVC was created without it. */
  "missed_restore",
  "ready",
  "disabled",
  "error",
] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

/** The ConfigMaps of the operator's namespace in which the leader publishes which backups there are. */
export const TRUTH = {
  name: "pvc-plumber-truth",
  /** A label: `head`, or the number of a shard. */
  label: `${PREFIX}/truth`,
} as const;

/** A ConfigMap beside these: which PVCs may use the backup identity of another namespace. */
export const CONSENTS = "pvc-plumber-consents";
