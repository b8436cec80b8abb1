import { expect, test } from "vitest";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { ReplicationDestinations, ReplicationSources } from "../../kinds/plumber/volsync.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { inventory } from "./inventory.ts";

const object = (name: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      namespace: "media",
      name,
      uid: "u",
      resourceVersion: "1",
      creationTimestamp: "",
      ...metadata,
    },
    ...more,
  }) as KubeObject;

const OURS = { labels: { "app.kubernetes.io/managed-by": "pvc-plumber" } };
const ARGO = { annotations: { "argocd.argoproj.io/tracking-id": "x" } };
const claims = [
  object("new"),
  object(
    "library",
    { spec: { resources: { requests: { storage: "5Gi" } } } },
    {
      labels: { "pvc-plumber.io/enabled": "true", "pvc-plumber.io/tier": "hourly", app: "immich" },
      annotations: {
        "pvc-plumber.io/backup-identity": "immich-library",
        "pvc-plumber.io/uid": "1000",
        "pvc-plumber.io/mode": "strict",
        "pvc-plumber.io/restore-mode": "force",
      },
    },
  ),
  object("inline", {}, { labels: { backup: "daily" } }),
  object("left"),
  object("cache", {}, { labels: { "pvc-plumber.io/exempt": "true" } }),
];
const kopia = { spec: { kopia: { repository: "volsync-kopia-repository" } } };
const mover = { runAsUser: 568, runAsGroup: 1000 };
const inline = {
  spec: {
    sourcePVC: "inline",
    trigger: { schedule: "5 * * * *" },
    kopia: { ...kopia.spec.kopia, username: "old-inline", hostname: "attic", moverSecurityContext: mover },
  },
};
const objects = new Map<Resource, readonly KubeObject[]>([
  [ReplicationSources, [object("inline-backup", inline, ARGO), object("left", kopia)]],
  [ReplicationDestinations, [object("inline-dst", kopia, ARGO)]],
  [
    backupConfigResource,
    [
      object("library", { spec: { repository: { kind: "ClusterRepository", name: "nas" } } }, OURS),
      // Of another namespace.
      object("new", kopia, { namespace: "photos" }),
    ],
  ],
]);
const mounts = (claimName: string) => ({
  spec: { template: { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] } } },
});
const workloads = [
  { ...object("web", mounts("library")), kind: "Deployment" },
  { ...object("jobs", mounts("library")), kind: "StatefulSet" },
  { ...object("web", mounts("new"), { namespace: "photos" }), kind: "Deployment" },
];

test("an inventory has a row for each PVC, with every column", () => {
  const rows = inventory({ claims, objects, workloads, naming: "bare-dst" });
  const none = { app: "", workloads: [], repository: "", size: "", uid: "default", gid: "default" };
  const unlabelled = {
    tier: "",
    schedule: "",
    label_source: "none",
    mode: "default",
    restore_mode: "default",
  };
  const named = (pvc: string) => ({
    ...none,
    ...unlabelled,
    namespace: "media",
    pvc,
    source: pvc,
    restore: `${pvc}-dst`,
    backup_identity: `media/${pvc}`,
  });
  expect(rows).toEqual([
    { ...named("cache"), owner: "exempt" },
    {
      ...named("inline"),
      owner: "argocd",
      repository: "Secret volsync-kopia-repository",
      backup_identity: "attic/old-inline",
      uid: "568",
      gid: "1000",
      schedule: "5 * * * *",
      tier: "daily",
      label_source: "legacy",
    },
    { ...named("left"), owner: "orphan", repository: "Secret volsync-kopia-repository" },
    {
      ...named("library"),
      app: "immich",
      workloads: ["Deployment/web", "StatefulSet/jobs"],
      owner: "pvc-plumber",
      repository: "ClusterRepository nas",
      backup_identity: "immich-library",
      size: "5Gi",
      uid: "1000",
      tier: "hourly",
      label_source: "pvc-plumber",
      mode: "strict",
      restore_mode: "force",
    },
    { ...named("new"), owner: "none" },
  ]);
});

test("names of earlier operators can be looked for", () => {
  const left = new Map([[ReplicationSources, [object("left-backup", kopia)]]]);
  const rows = inventory({ claims, objects: left, workloads: [], naming: "legacy-backup" });
  expect(rows.find(({ pvc }) => pvc === "left")).toMatchObject({
    source: "left-backup",
    restore: "left-backup",
    owner: "orphan",
  });
});
