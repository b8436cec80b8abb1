import type { Job } from "../../../kinds/cozystack/generated/job.ts";
import type { Velero } from "../../../kinds/cozystack/generated/velero.ts";
import type { Volume } from "../../../kinds/cozystack/generated/volume.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { BackupWork, RemovalWork, RestoreWork } from "../drivers/driver.ts";
import { application, NOW, sampleBackup, sampleJob, sampleRestoreJob } from "./samples.ts";

const API = "strategy.backups.cozystack.io/v1alpha1";

function strategy<S extends KubeObject>(kind: string, spec: object): S {
  const metadata = {
    name: "it",
    uid: "uid-it",
    resourceVersion: "1",
    creationTimestamp: "2026-05-24T11:00:00Z",
  };
  return { apiVersion: API, kind, metadata, spec } as unknown as S;
}

export const sampleVolume = (spec: object = {}) =>
  strategy<Volume>("Volume", {
    repository: { kind: "ClusterRepository", name: "offsite" },
    copyMethod: "Snapshot",
    groupBy: "VolumeGroupSnapshot",
    deletionPolicy: "Delete",
    restore: { scaleDownWorkloads: true, deleteOtherFiles: true },
    ...spec,
  });

export const sampleJobStrategy = (spec: object = {}) =>
  strategy<Job>("Job", {
    template: { spec: { containers: [{ name: "c", args: ["{{ .Mode }}", "{{ .Parameters.level }}"] }] } },
    timeout: "1h",
    ...spec,
  });

export const sampleVelero = (spec: object = {}) =>
  strategy<Velero>("Velero", {
    namespace: "velero",
    backupTemplate: { spec: { storageLocation: "{{ .Parameters.level }}" } },
    ...spec,
  });

const app = {
  apiVersion: "apps.cozystack.io/v1",
  kind: "Postgres",
  metadata: {
    name: "db",
    namespace: "tenant",
    uid: "uid-db",
    resourceVersion: "1",
    creationTimestamp: "2026-05-24T11:00:00Z",
  },
};

const common = {
  namespace: "tenant",
  applicationRef: application,
  parameters: { level: "full" },
  now: NOW,
  clock: { monotonic: () => 0 },
};

export function backupWork<S extends KubeObject>(
  strategy: S,
  more: Partial<BackupWork<S>> = {},
): BackupWork<S> {
  return { ...common, object: sampleJob("first"), strategy, application: app, state: {}, ...more };
}

export function restoreWork<S extends KubeObject>(
  strategy: S,
  more: Partial<RestoreWork<S>> = {},
): RestoreWork<S> {
  const object = sampleRestoreJob("again");
  const target = { targetNamespace: "tenant", application: app };
  return { ...common, object, strategy, ...target, state: {}, backup: sampleBackup("first"), ...more };
}

export function removalWork<S extends KubeObject>(
  strategy: S | undefined,
  more: Partial<RemovalWork<S>> = {},
): RemovalWork<S> {
  return { ...common, object: sampleBackup("first"), strategy, application: undefined, state: {}, ...more };
}
