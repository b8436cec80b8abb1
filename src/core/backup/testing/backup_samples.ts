import { API_VERSION, BACKUPS, GROUP, meta, type Sample } from "../../testing/samples.ts";
import type { BackupObject, BackupRequest, SnapshotEntry } from "../backup.ts";
import type { BackupPlan } from "../plan.ts";

/* Backups of an API that is nobody's. */

export const FINALIZER = `${GROUP}/snapshot-cleanup`;
export const LABELS = { [`${GROUP}/origin`]: "manual" };

/** Of the volume itself, in the repository nas. */
export const PLAN: BackupPlan = {
  repository: { name: "nas", namespace: "billing", uid: "uid-nas", uniqueID: "id-1" },
  engine: "kopia",
  copyMethod: "Direct",
  deletionPolicy: "Delete",
  sources: [{ pvc: "billing/data", sourcePath: "/pvc/data", uid: "uid-claim" }],
  identity: { username: "data", hostname: "billing" },
  settings: {
    policy: { fidelity: "Full", unreadableFiles: "Fail" },
    failurePolicy: { backoffLimit: 2, activeDeadlineSeconds: 7200 },
    copyMethod: "Direct",
    groupBy: "VolumeGroupSnapshot",
    staging: { timeout: "10m" },
  },
};

/** One that cannot go without a word. */
export function backup({ metadata, status }: Sample<object, object> = {}): BackupObject {
  return {
    apiVersion: API_VERSION,
    kind: "Backup",
    metadata: meta("first", { finalizers: [FINALIZER], labels: LABELS, ...metadata }),
    ...(status ? { status } : {}),
  };
}

export function request(object = backup(), more: Partial<BackupRequest> = {}): BackupRequest {
  return {
    owner: { resource: BACKUPS, object },
    plan: PLAN,
    failurePolicy: PLAN.settings.failurePolicy,
    tenant: "data",
    hold: { finalizer: FINALIZER, labels: LABELS },
    ...more,
  };
}

/** A snapshot that a backup stands for. */
export function entry(id: string, more: Partial<SnapshotEntry> = {}): SnapshotEntry {
  return {
    id,
    identity: { username: "data", hostname: "billing", sourcePath: "/pvc/data" },
    ...more,
  };
}
