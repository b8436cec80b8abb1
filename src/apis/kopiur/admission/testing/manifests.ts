import type { Manifest } from "./admission_case.ts";

/* The things that cases are about, with the least that each must say. */

export const HOME = "tenant-a";

const encryption = { passwordSecretRef: { name: "creds" } };
const clusterEncryption = { passwordSecretRef: { name: "creds", namespace: "platform" } };
const filesystem = { filesystem: { pvc: { name: "store" } } };

export function repository(more: Partial<Manifest> = {}): Manifest {
  const { spec, ...rest } = more;
  return {
    kind: "Repository",
    namespace: HOME,
    name: "nas",
    ...rest,
    spec: { backend: filesystem, encryption, ...spec },
  };
}

export function clusterRepository(more: Partial<Manifest> = {}): Manifest {
  const { spec, ...rest } = more;
  return {
    kind: "ClusterRepository",
    name: "commons",
    ...rest,
    spec: {
      backend: filesystem,
      encryption: clusterEncryption,
      allowedNamespaces: { list: [HOME] },
      ...spec,
    },
  };
}

export function claim(name = "data", namespace = HOME): Manifest {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } };
  return { kind: "PersistentVolumeClaim", namespace, name, spec };
}

export function config(more: Partial<Manifest> = {}): Manifest {
  const { spec, ...rest } = more;
  return {
    kind: "BackupConfig",
    namespace: HOME,
    name: "data",
    ...rest,
    spec: { repository: { name: "nas" }, sources: [{ pvc: { name: "data" } }], ...spec },
  };
}

export function backup(more: Partial<Manifest> = {}): Manifest {
  const { spec, ...rest } = more;
  return {
    kind: "Backup",
    namespace: HOME,
    name: "first",
    ...rest,
    spec: { configRef: { name: "data" }, ...spec },
  };
}

export function schedule(times: object, more: Partial<Manifest> = {}): Manifest {
  const spec = { configRef: { name: "data" }, schedule: { cron: "H 2 * * *", ...times } };
  return { kind: "BackupSchedule", namespace: HOME, name: "nightly", ...more, spec };
}

export function restore(more: Partial<Manifest> = {}): Manifest {
  const { spec, ...rest } = more;
  return {
    kind: "Restore",
    namespace: HOME,
    name: "again",
    ...rest,
    spec: { source: { backupRef: { name: "first" } }, ...spec },
  };
}

export function maintenance(more: Partial<Manifest> = {}): Manifest {
  const { spec, ...rest } = more;
  return {
    kind: "Maintenance",
    namespace: HOME,
    name: "nas",
    ...rest,
    spec: { repository: { name: "nas" }, ...spec },
  };
}

/** A BackupConfig's status once it has been resolved under an identity. */
export function resolvedAs(username: string, hostname: string, sourcePath = "/pvc/data") {
  const sources = [{ pvc: `${HOME}/data`, sourcePath }];
  return { phase: "Ready", resolved: { identity: { username, hostname, sources } } };
}

/** All that an ordinary BackupConfig refers to. */
export const HOUSEHOLD: readonly Manifest[] = [repository(), claim()];
