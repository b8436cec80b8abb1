import type { Fields } from "../../src/embedded/kinds/fields.ts";

/** An object that is created, and perhaps changed by a merge patch: what do the servers say? */
export interface Manifest {
  readonly name: string;
  readonly kind: string;
  /** Beyond apiVersion, kind and a name. */
  readonly object: Fields;
  /** A patch of the object, once it is created. Without one, the creation itself is the question. */
  readonly change?: Fields;
}

const container = { name: "main", image: "registry.example/app:1" };
const podSpec = { containers: [container] };
const jobSpec = { template: { spec: { restartPolicy: "Never", ...podSpec } } };
/** A Job that nobody acts on while it is looked at. */
const idleJob = { suspend: true, ...jobSpec };
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
/** A class that nobody provisions, so that claims stay as they are. */
const claim = { spec: { storageClassName: "nobodys", ...claimSpec } };
const volume = {
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    csi: { driver: "d", volumeHandle: "h" },
  },
};
const webhook = {
  name: "a.b.example.com",
  clientConfig: { url: "https://127.0.0.1:1/x" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [
    { operations: ["CREATE"], apiGroups: ["nobody.example.com"], apiVersions: ["v1"], resources: ["xs"] },
  ],
};
const reference = { apiGroup: "holdfast.dev", kind: "Snapshot", name: "s" };

/** A pod that nobody schedules while it is looked at. */
const idlePod = { schedulerName: "nobody", automountServiceAccountToken: false, ...podSpec };

function pod(name: string, spec: Fields, change?: Fields): Manifest {
  return { name, kind: "Pod", object: { spec }, ...(change ? { change: { spec: change } } : {}) };
}

function job(name: string, spec: Fields, change?: Fields): Manifest {
  return { name, kind: "Job", object: { spec }, ...(change ? { change: { spec: change } } : {}) };
}

const pods: readonly Manifest[] = [
  pod("plain", podSpec),
  pod("without containers", { containers: [] }),
  pod("containers missing", {}),
  pod("two containers of one name", { containers: [container, container] }),
  pod("a container without an image", { containers: [{ name: "main" }] }),
  pod("a container with a bad name", { containers: [{ ...container, name: "Not_A_Label" }] }),
  pod("a container without a name", { containers: [{ image: "x" }] }),
  pod("an unknown restart policy", { ...podSpec, restartPolicy: "Sometimes" }),
  pod("an unknown pull policy", { containers: [{ ...container, imagePullPolicy: "Maybe" }] }),
  pod("images with and without tags", {
    containers: [
      { name: "a", image: "x" },
      { name: "b", image: "x:latest" },
      { name: "c", image: "x:1" },
      { name: "d", image: "host:5000/x" },
      { name: "e", image: `x@sha256:${"0".repeat(64)}` },
    ],
  }),
  pod("a mount of no volume", {
    containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }],
  }),
  pod("two mounts at one path", {
    volumes: [{ name: "v" }, { name: "w", emptyDir: {} }],
    containers: [
      {
        ...container,
        volumeMounts: [
          { name: "v", mountPath: "/v" },
          { name: "w", mountPath: "/v" },
        ],
      },
    ],
  }),
  pod("volumes of every sort we mount", {
    ...podSpec,
    volumes: [
      { name: "a", secret: { secretName: "s" } },
      { name: "b", configMap: { name: "c" } },
      { name: "c", persistentVolumeClaim: { claimName: "c" } },
      { name: "d", emptyDir: { sizeLimit: "1024Mi" } },
      { name: "e", hostPath: { path: "/x" } },
      { name: "f", downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] } },
      {
        name: "g",
        projected: {
          sources: [{ secret: { name: "s" } }],
        },
      },
    ],
  }),
  pod("a volume of two sorts", {
    ...podSpec,
    volumes: [{ name: "a", emptyDir: {}, persistentVolumeClaim: { claimName: "c" } }],
  }),
  pod("a volume without its secret's name", { ...podSpec, volumes: [{ name: "a", secret: {} }] }),
  pod("two volumes of one name", { ...podSpec, volumes: [{ name: "a" }, { name: "a" }] }),
  pod("a quantity that is none", { containers: [{ ...container, resources: { limits: { cpu: "much" } } }] }),
  pod("a deadline of nothing", { ...podSpec, activeDeadlineSeconds: 0 }),
  pod("a text for a number", { ...podSpec, terminationGracePeriodSeconds: "soon" }),
  pod("init containers", {
    ...podSpec,
    initContainers: [{ name: "i", image: "x:1" }],
  }),
  pod("an init container named as another", { ...podSpec, initContainers: [container] }),
  pod("its image changed", idlePod, { containers: [{ ...container, image: "registry.example/app:2" }] }),
  pod("its command changed", idlePod, { containers: [{ ...container, command: ["true"] }] }),
  pod("a container added", idlePod, { containers: [container, { ...container, name: "more" }] }),
  pod("its deadline set", idlePod, { activeDeadlineSeconds: 60 }),
];

const jobs: readonly Manifest[] = [
  job("plain", idleJob),
  job("labelled", { ...idleJob, template: { ...jobSpec.template, metadata: { labels: { a: "b" } } } }),
  job("parallel", { ...idleJob, parallelism: 3 }),
  job("always restarted", { suspend: true, template: { spec: podSpec } }),
  job("without a template", { suspend: true }),
  job("negative", { ...idleJob, parallelism: -1, backoffLimit: -2, ttlSecondsAfterFinished: -3 }),
  job("a selector that is not its own", { ...idleJob, selector: { matchLabels: { a: "b" } } }),
  job("replaced when failed", { ...idleJob, podReplacementPolicy: "Failed", backoffLimit: 0 }),
  job("resumed", idleJob, { suspend: false }),
  job("its image changed", idleJob, {
    template: { spec: { containers: [{ ...container, image: "registry.example/app:2" }] } },
  }),
  job("its completions changed", idleJob, { completions: 5 }),
  job("its parallelism changed", idleJob, { parallelism: 5 }),
  job("its selector changed", idleJob, { selector: { matchLabels: { x: "y" } } }),
  job("its time to live changed", idleJob, { ttlSecondsAfterFinished: 10, activeDeadlineSeconds: 20 }),
];

const volumes: readonly Manifest[] = [
  { name: "claim", kind: "PersistentVolumeClaim", object: claim },
  { name: "claim of nothing", kind: "PersistentVolumeClaim", object: { spec: {} } },
  {
    name: "claim with a bad mode and size",
    kind: "PersistentVolumeClaim",
    object: { spec: { accessModes: ["ReadWriteTwice"], resources: { requests: { storage: "0" } } } },
  },
  {
    name: "claim with modes that exclude each other",
    kind: "PersistentVolumeClaim",
    object: { spec: { ...claim.spec, accessModes: ["ReadWriteOnce", "ReadWriteOncePod"] } },
  },
  {
    name: "claim from a custom source",
    kind: "PersistentVolumeClaim",
    object: { spec: { ...claim.spec, dataSourceRef: reference } },
  },
  {
    name: "claim from another claim",
    kind: "PersistentVolumeClaim",
    object: { spec: { ...claim.spec, dataSource: { kind: "PersistentVolumeClaim", name: "c" } } },
  },
  {
    name: "claim from a snapshot",
    kind: "PersistentVolumeClaim",
    object: {
      spec: {
        ...claim.spec,
        dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" },
      },
    },
  },
  {
    name: "claim from a custom source in the older field",
    kind: "PersistentVolumeClaim",
    object: { spec: { ...claim.spec, dataSource: reference } },
  },
  {
    name: "claim from two sources",
    kind: "PersistentVolumeClaim",
    object: {
      spec: {
        ...claim.spec,
        dataSource: { kind: "PersistentVolumeClaim", name: "c" },
        dataSourceRef: reference,
      },
    },
  },
  {
    name: "claim from a core kind that is no claim",
    kind: "PersistentVolumeClaim",
    object: { spec: { ...claim.spec, dataSourceRef: { kind: "Pod", name: "c" } } },
  },
  {
    name: "claim grown before it is bound",
    kind: "PersistentVolumeClaim",
    object: claim,
    change: { spec: { resources: { requests: { storage: "2Gi" } } } },
  },
  {
    name: "claim shrunk",
    kind: "PersistentVolumeClaim",
    object: claim,
    change: { spec: { resources: { requests: { storage: "1Mi" } } } },
  },
  {
    name: "claim with another class",
    kind: "PersistentVolumeClaim",
    object: claim,
    change: { spec: { storageClassName: "other" } },
  },
  {
    name: "claim with another source",
    kind: "PersistentVolumeClaim",
    object: { spec: { ...claim.spec, dataSourceRef: reference } },
    change: { spec: { dataSourceRef: { name: "other" } } },
  },
  {
    name: "claim with another mode",
    kind: "PersistentVolumeClaim",
    object: claim,
    change: { spec: { volumeMode: "Block" } },
  },
  {
    name: "claim given a volume",
    kind: "PersistentVolumeClaim",
    object: claim,
    change: { spec: { volumeName: "none-such" } },
  },
  { name: "volume", kind: "PersistentVolume", object: volume },
  {
    name: "volume kept",
    kind: "PersistentVolume",
    object: volume,
    change: { spec: { persistentVolumeReclaimPolicy: "Delete", capacity: { storage: "2Gi" } } },
  },
  { name: "class", kind: "StorageClass", object: { provisioner: "x.example.com" } },
  { name: "class of nobody", kind: "StorageClass", object: {} },
  {
    name: "class with an unknown binding",
    kind: "StorageClass",
    object: { provisioner: "x", volumeBindingMode: "Late" },
  },
  {
    name: "class changed",
    kind: "StorageClass",
    object: { provisioner: "x.example.com", parameters: { a: "b" } },
    change: { provisioner: "y.example.com", parameters: { a: "c" }, reclaimPolicy: "Retain" },
  },
  {
    name: "class that may grow now",
    kind: "StorageClass",
    object: { provisioner: "x.example.com" },
    change: { allowVolumeExpansion: true },
  },
];

const configuration: readonly Manifest[] = [
  { name: "secret", kind: "Secret", object: { stringData: { a: "b" }, data: { c: "ZA==" } } },
  { name: "secret with a bad key", kind: "Secret", object: { stringData: { "a/b": "c" } } },
  { name: "secret with bad data", kind: "Secret", object: { data: { a: "not base64!" } } },
  { name: "secret retyped", kind: "Secret", object: { data: { a: "YQ==" } }, change: { type: "other" } },
  {
    name: "secret that is immutable",
    kind: "Secret",
    object: { immutable: true, data: { a: "YQ==" } },
    change: { data: { a: "Yg==" } },
  },
  { name: "secret thawed", kind: "Secret", object: { immutable: true }, change: { immutable: null } },
  {
    name: "secret added to",
    kind: "Secret",
    object: { data: { a: "YQ==" } },
    change: { stringData: { b: "c" } },
  },
  { name: "map", kind: "ConfigMap", object: { data: { a: "b" }, binaryData: { c: "ZA==" } } },
  {
    name: "map with one key twice",
    kind: "ConfigMap",
    object: { data: { a: "b" }, binaryData: { a: "ZA==" } },
  },
  { name: "map with a dotted key", kind: "ConfigMap", object: { data: { "..": "b", "..x": "c" } } },
  { name: "map that is too large", kind: "ConfigMap", object: { data: { a: "x".repeat(2 ** 20 + 1) } } },
  {
    name: "map that is immutable",
    kind: "ConfigMap",
    object: { immutable: true, data: { a: "b" } },
    change: { data: { a: "c" } },
  },
  { name: "map with a number", kind: "ConfigMap", object: { data: { a: 1 } } },
  { name: "account", kind: "ServiceAccount", object: {} },
  { name: "lease", kind: "Lease", object: { spec: { renewTime: "2026-01-02T03:04:05.1+02:00" } } },
  {
    name: "event",
    kind: "Event",
    object: { involvedObject: { namespace: "default", kind: "Pod", name: "p" } },
  },
  { name: "namespace", kind: "Namespace", object: {} },
  { name: "namespace renamed by label", kind: "Namespace", object: { metadata: { labels: { a: "b" } } } },
];

const webhooks: readonly Manifest[] = (
  ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"] as const
).flatMap((kind): Manifest[] => [{ name: "plain", kind, object: { webhooks: [webhook] } }]);

/** Good and bad objects of the built-in kinds, as users write them. */
export const manifests: readonly Manifest[] = [...pods, ...jobs, ...volumes, ...configuration, ...webhooks];
