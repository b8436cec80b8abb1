import type { KindCases } from "./case.ts";
import { hookCases } from "./hook_cases.ts";

const repository = { name: "nas-primary", namespace: "backups" };
const sources = [{ pvc: { name: "postgres-data" } }];
const least = { repository, sources };

export const backupConfigCases: KindCases = {
  kind: "BackupConfig",
  cases: [
    {
      name: "the least, with defaults that can be seen",
      spec: least,
      stored: {
        repository: { ...repository, kind: "Repository" },
        sources: [{ pvc: { name: "postgres-data" }, sourcePathStrategy: "PVCName" }],
        copyMethod: "Snapshot",
        groupBy: "VolumeGroupSnapshot",
        staging: { timeout: "10m" },
        defaultDeletionPolicy: "Delete",
        policy: { unreadableFiles: "Fail" },
        failurePolicy: { backoffLimit: 2, activeDeadlineSeconds: 7200 },
      },
    },
    {
      name: "a shared repository",
      spec: { ...least, repository: { kind: "ClusterRepository", name: "shared" } },
    },
    {
      name: "a shared repository with a namespace",
      spec: { ...least, repository: { kind: "ClusterRepository", name: "shared", namespace: "backups" } },
      problems: ["spec.repository.namespace: Forbidden: namespace must not be set for a ClusterRepository"],
    },
    {
      name: "claims by label, of several namespaces",
      spec: {
        repository,
        sources: [
          {
            pvcSelector: {
              namespaceSelector: { matchNames: ["billing", "billing-staging"] },
              labelSelector: { matchLabels: { backup: "include" } },
            },
            sourcePathStrategy: "PVCNamespacedName",
          },
        ],
        groupBy: "None",
      },
    },
    {
      name: "no source",
      spec: { repository, sources: [] },
      problems: ["spec.sources: Invalid value: 0: spec.sources in body should have at least 1 items"],
    },
    {
      name: "more sources than one Backup can name",
      spec: { repository, sources: Array.from({ length: 17 }, (_, i) => ({ pvc: { name: `pvc-${i}` } })) },
      problems: ["spec.sources: Too many: 17", "<nil>: Invalid value"],
    },
    {
      name: "a source that names nothing",
      spec: { repository, sources: [{}] },
      problems: ["spec.sources[0]: Invalid value: exactly one of pvc, pvcSelector must be set"],
    },
    {
      name: "a claim and a selector in one source",
      spec: { repository, sources: [{ pvc: { name: "a" }, pvcSelector: {} }] },
      problems: ["spec.sources[0]: Invalid value: exactly one of pvc, pvcSelector must be set"],
    },
    {
      name: "one path for many claims",
      spec: { repository, sources: [{ pvcSelector: {}, sourcePathOverride: "/data" }] },
      problems: ["spec.sources[0].sourcePathOverride: Forbidden: sourcePathOverride needs a single PVC"],
    },
    {
      name: "a path that is not absolute",
      spec: { repository, sources: [{ pvc: { name: "a" }, sourcePathOverride: "data" }] },
      problems: ['spec.sources[0].sourcePathOverride: Invalid value: "data"'],
    },
    {
      name: "an identity that kopia could not tell apart",
      spec: { ...least, identity: { username: "me@home" } },
      problems: ['spec.identity.username: Invalid value: "me@home"'],
    },
    {
      name: "retention that keeps something",
      spec: { ...least, retention: { keepDaily: 14 } },
      stored: { retention: { keepDaily: 14, maxShrinkPercent: 50 } },
    },
    {
      name: "retention that keeps nothing",
      spec: { ...least, retention: { keepDaily: 0 } },
      problems: ["spec.retention: Invalid value: at least one of the keep fields must be above 0"],
    },
    {
      name: "a compressor of restic's",
      spec: { ...least, policy: { compression: { compressor: "max" } } },
    },
    {
      name: "a compressor that there is not",
      spec: { ...least, policy: { compression: { compressor: "zip" } } },
      problems: ['spec.policy.compression.compressor: Unsupported value: "zip"', "<nil>: Invalid value"],
    },
    ...hookCases,
    {
      name: "a mover with settings of Kubernetes' own, as they are",
      spec: {
        ...least,
        mover: {
          resources: { limits: { memory: "4Gi" }, claims: [] },
          securityContext: { runAsUser: 1000 },
          affinity: { nodeAffinity: {} },
          tolerations: [{ key: "a", operator: "Exists" }],
        },
      },
      stored: {
        mover: {
          resources: { limits: { memory: "4Gi" }, claims: [] },
          securityContext: { runAsUser: 1000 },
          affinity: { nodeAffinity: {} },
          tolerations: [{ key: "a", operator: "Exists" }],
          privilegedMode: false,
        },
      },
    },
    {
      name: "an unknown field of its own, by leaving it out",
      spec: { ...least, mover: { fsGroup: 1 } },
      unknown: ["spec.mover.fsGroup"],
    },
    {
      name: "another repository: nothing is run by a recipe",
      spec: { ...least, repository: { name: "other" } },
      old: { spec: least },
    },
  ],
};
