import type { CrdManifest } from "./install_crds.ts";

/* VolSync's two kinds as clusters have them, as far as backups go: their fields, and the rules of those that we write. */

const text = { type: "string" };
const whole = { type: "integer" };
const flag = { type: "boolean" };
const texts = { type: "array", items: text };
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const quantity = { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] };
const person = { ...text, pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$|^[a-zA-Z0-9]$" };
const field = "((\\d+,)*\\d+|(\\d+(\\/|-)\\d+)|\\*(\\/\\d+)?)";
const schedule = {
  ...text,
  pattern: `^(@(annually|yearly|monthly|weekly|daily|hourly))|((${field}\\s?){5})$`,
};
const object = (properties: object) => ({ type: "object", properties });

const volume = {
  copyMethod: { ...text, enum: ["Direct", "None", "Clone", "Snapshot"] },
  capacity: quantity,
  storageClassName: text,
  accessModes: { ...texts, minItems: 1 },
  volumeSnapshotClassName: text,
};

const mover = {
  repository: text,
  customCA: object({ secretName: text, configMapName: text, key: text }),
  cacheCapacity: quantity,
  cacheStorageClassName: text,
  cacheAccessModes: texts,
  moverSecurityContext: anything,
  moverServiceAccount: text,
  moverPodLabels: { type: "object", additionalProperties: text },
  moverResources: anything,
  moverAffinity: anything,
};

const kopiaCache = { metadataCacheSizeLimitMB: whole, contentCacheSizeLimitMB: whole };
const policyConfig = object({
  secretName: text,
  configMapName: text,
  globalPolicyFilename: text,
  repositoryConfigFilename: text,
  repositoryConfig: text,
});

const retain = object({
  last: text,
  hourly: whole,
  daily: whole,
  weekly: whole,
  monthly: whole,
  yearly: whole,
  within: text,
});

const source = {
  sourcePVC: text,
  paused: flag,
  trigger: object({ schedule, manual: text }),
  restic: object({
    ...volume,
    ...mover,
    retain,
    pruneIntervalDays: whole,
    unlock: text,
    moverVolumes: { type: "array", items: anything },
  }),
  kopia: object({
    ...volume,
    ...mover,
    ...kopiaCache,
    retain: object({
      latest: whole,
      hourly: whole,
      daily: whole,
      weekly: whole,
      monthly: whole,
      yearly: whole,
    }),
    compression: text,
    parallelism: whole,
    actions: object({ beforeSnapshot: text, afterSnapshot: text }),
    maintenanceIntervalDays: whole,
    maintenanceCronJob: anything,
    policyConfig,
    username: person,
    hostname: person,
    sourcePath: text,
    sourcePathOverride: text,
    repositoryPVC: text,
    additionalArgs: texts,
    moverVolumes: { type: "array", items: anything },
  }),
  rclone: anything,
};

const destination = {
  paused: flag,
  trigger: object({ schedule, manual: text }),
  restic: object({
    ...volume,
    ...mover,
    destinationPVC: text,
    cleanupTempPVC: flag,
    cleanupCachePVC: flag,
    previous: whole,
    restoreAsOf: text,
    enableFileDeletion: flag,
    moverVolumes: { type: "array", items: anything },
  }),
  kopia: object({
    ...volume,
    ...mover,
    ...kopiaCache,
    destinationPVC: text,
    cleanupTempPVC: flag,
    cleanupCachePVC: flag,
    previous: whole,
    restoreAsOf: text,
    enableFileDeletion: flag,
    shallow: whole,
    policyConfig,
    sourceIdentity: object({
      sourceName: text,
      sourceNamespace: text,
      sourcePVCName: text,
      sourcePathOverride: text,
    }),
    username: person,
    hostname: person,
    additionalArgs: texts,
    moverVolumes: { type: "array", items: anything },
  }),
  rclone: anything,
};

function crd(kind: string, spec: object): CrdManifest {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const schema = { openAPIV3Schema: object({ spec: object(spec), status: anything }) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.volsync.backube` },
    spec: {
      group: "volsync.backube",
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular },
      versions: [{ name: "v1alpha1", served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}

export const VOLSYNC_CRDS: readonly CrdManifest[] = [
  crd("ReplicationSource", source),
  crd("ReplicationDestination", destination),
];
