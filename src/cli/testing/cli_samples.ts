import type { ShownObject } from "../../core/view/shown_object.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../kinds/kopiur/generated/backup_config.ts";
import type { BackupSchedule } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { API_VERSION } from "../../kinds/kopiur/group.ts";
import type { SnapshotStatus } from "../../kinds/kopiur/parts.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Paint } from "../frame/terminal.ts";

/* Objects for the tests of screens. */

export const NOW = Date.parse("2026-05-24T12:00:00Z");
export const plain: Paint = (_, text) => text;

/** An object of the native API in the namespace `home`. */
export function native<T extends ShownObject>(kind: string, name: string, more: object = {}): T {
  const metadata = {
    namespace: "home",
    name,
    uid: `uid-${name}`,
    resourceVersion: "1",
    creationTimestamp: "2026-05-24T00:00:00Z",
  };
  return { apiVersion: API_VERSION, kind, metadata, ...more } as unknown as T;
}

export function claim(name: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
  const { metadata } = native("PersistentVolumeClaim", name);
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { ...metadata, labels } };
}

/** A recipe of one claim, which it has resolved. */
export function recipe(of: string, status: object = {}): BackupConfig {
  const sources = [{ pvc: `home/${of}`, sourcePath: `/${of}` }];
  return native("BackupConfig", of, {
    spec: {
      sources: [{ pvc: { name: of } }],
      copyMethod: "Direct",
      repository: { kind: "Repository", name: "store" },
    },
    status: {
      phase: "Ready",
      resolved: { identity: { username: of, hostname: "home", sources } },
      ...status,
    },
  });
}

export function backupOf(of: string, name: string, status: object): Backup {
  const snapshots = [
    {
      kopiaSnapshotID: `id-${name}`,
      pvc: `home/${of}`,
      sizeBytes: 2048,
      identity: { username: of, hostname: "home", sourcePath: `/${of}` },
    },
  ];
  return native("Backup", name, {
    spec: { configRef: { name: of } },
    status: { phase: "Succeeded", snapshots, ...status },
  });
}

/** One that stands for a snapshot that was found in the repository: it names neither recipe nor claim. */
export function foundBackup(
  identity: SnapshotStatus["identity"],
  name: string,
  { uniqueID, at = "2026-05-01T00:00:00Z" }: { readonly uniqueID?: string; readonly at?: string },
): Backup {
  const repository = { kind: "Repository", name: "store", uid: "old", ...(uniqueID ? { uniqueID } : {}) };
  const snapshot = { kopiaSnapshotID: `id-${name}`, sizeBytes: 2048, identity };
  return native("Backup", name, {
    spec: { deletionPolicy: "Retain" },
    status: {
      phase: "Discovered",
      snapshots: [snapshot],
      timing: { startTime: at, endTime: at },
      resolved: { repository },
    },
  });
}

export function scheduleOf(of: string, more: object = {}, status: object = {}): BackupSchedule {
  return native("BackupSchedule", `${of}-nightly`, {
    spec: { configRef: { name: of }, schedule: { cron: "0 3 * * *", suspend: false, ...more } },
    status: { phase: "Active", nextSchedule: { at: "2026-05-25T03:00:00Z" }, ...status },
  });
}

export function condition(type: string, status: "True" | "False", reason: string, message: string) {
  return { type, status, reason, message, lastTransitionTime: "2026-05-24T11:00:00Z" };
}
