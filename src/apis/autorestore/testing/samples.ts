import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";
import type { ResticBackup } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import type { ResticRestore } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { API_VERSION } from "../../../kinds/autorestore/group.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import type { KubeObject, ObjectMeta } from "../../../kube/object.ts";
import { configLabel } from "../config/claiming.ts";

export const NOW = Date.parse("2026-05-24T12:00:00Z");

export const meta = (name: string, more: Partial<ObjectMeta> = {}): ObjectMeta => ({
  name,
  namespace: "home",
  uid: `uid-${name}`,
  resourceVersion: "7",
  creationTimestamp: "2026-05-24T11:59:00Z",
  ...more,
});

const object = (kind: string, name: string, more: Partial<ObjectMeta> = {}) => ({
  apiVersion: API_VERSION,
  kind,
  metadata: meta(name, more),
});

type Spec = BackupConfig["spec"];

export function sampleConfig(spec: Partial<Spec> = {}, more: Partial<ObjectMeta> = {}): BackupConfig {
  return {
    ...object("BackupConfig", "all", more),
    spec: {
      selectors: [{ labelSelector: { matchLabels: { keep: "yes" } }, stopPods: true, waitForHealthy: false }],
      backupTargets: [sampleTarget("nas")],
      autoRestore: false,
      ...spec,
    },
  };
}

export function sampleTarget(
  name: string,
  more: Partial<Spec["backupTargets"][number]> = {},
): Spec["backupTargets"][number] {
  return { name, priority: 0, repository: { name, privilegedMover: false }, ...more };
}

export function sampleClaim(name: string, more: Partial<ObjectMeta> = {}): KubeObject {
  const metadata = meta(name, { labels: { keep: "yes" }, ...more });
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
}

/** A PVC that the sample BackupConfig, or another one, has claimed. */
export function claimed(name: string, more: Partial<ObjectMeta> = {}, owner = "home/all"): KubeObject {
  const [namespace = "", config = ""] = owner.split("/");
  return sampleClaim(name, {
    ...more,
    labels: { keep: "yes", ...more.labels, [LABELS.managedBy]: configLabel({ namespace, name: config }) },
    annotations: { [ANNOTATIONS.managedBy]: owner, ...more.annotations },
  });
}

interface SampleBackup {
  readonly pvc?: string;
  readonly target?: string;
  readonly type?: "scheduled" | "manual";
  readonly status?: ResticBackup["status"];
}

export function sampleBackup(
  name: string,
  { pvc = "data", target = "nas", type = "scheduled", status }: SampleBackup = {},
): ResticBackup {
  const labels = { [LABELS.target]: target };
  return {
    ...object("ResticBackup", name, { labels }),
    spec: { pvcRef: { name: pvc }, repositoryRef: { name: target }, backupType: type },
    ...(status ? { status } : {}),
  };
}

export function sampleRepository(spec: Partial<ResticRepository["spec"]> = {}): ResticRepository {
  return {
    ...object("ResticRepository", "nas"),
    spec: {
      repository: "s3:https://s3.example.org/bucket/path",
      passwordSecretRef: { name: "restic", key: "password" },
      privilegedMover: false,
      ...spec,
    },
  };
}

export function sampleRestore(spec: Partial<ResticRestore["spec"]> = {}): ResticRestore {
  return {
    ...object("ResticRestore", "back"),
    spec: { targetPVC: "data", stopPods: true, onlyIfEmpty: false, continueWithoutSnapshot: false, ...spec },
  };
}
