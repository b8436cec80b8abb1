import type { KindCases } from "./case.ts";

const backupRef = { name: "postgres-data-20260523-021300" };
const identity = { username: "postgres-data", hostname: "billing", sourcePath: "/data" };
const repository = { name: "nas-primary", namespace: "backups" };
const passive = { source: { fromConfig: { name: "postgres-data" } } };
const pvcRef = { name: "postgres-data" };
const inPlace = { source: { backupRef }, target: { pvcRef } };
const frozen = (field: string) =>
  `spec.${field}: Invalid value: ${field} is immutable once data is being written`;

export const restoreCases: KindCases = {
  kind: "Restore",
  cases: [
    {
      name: "a source for claims, with defaults that can be seen",
      spec: passive,
      stored: {
        source: { fromConfig: { name: "postgres-data", offset: 0 } },
        options: {
          existingFiles: "Overwrite",
          enableFileDeletion: false,
          ignorePermissionErrors: true,
          writeFilesAtomically: true,
          sparse: true,
        },
        policy: { waitTimeout: "5m" },
        failurePolicy: { backoffLimit: 2, activeDeadlineSeconds: 86400 },
      },
    },
    {
      name: "a new claim",
      spec: { source: { backupRef }, target: { pvc: { name: "restored", capacity: "100Gi" } } },
      stored: { target: { pvc: { name: "restored", capacity: "100Gi", accessModes: ["ReadWriteOnce"] } } },
    },
    {
      name: "a claim that is there already",
      spec: inPlace,
      stored: { target: { pvcRef: { ...pvcRef, scaleDownWorkloads: false } } },
    },
    {
      name: "one volume of several, one folder of it, and its owners or nothing",
      spec: {
        source: { backupRef: { ...backupRef, namespace: "other", pvc: "billing/postgres-data" } },
        target: { pvcRef },
        options: { path: "pgdata/base", ownership: "Exact", ignorePermissionErrors: false },
      },
    },
    { name: "an identity", spec: { repository, source: { identity: { ...identity, offset: 1 } } } },
    {
      name: "an identity without a repository",
      spec: { source: { identity } },
      problems: ["spec.repository: Required value: repository must be set with source.identity"],
    },
    {
      name: "no source",
      spec: { source: {} },
      problems: ["spec.source: Invalid value: exactly one of backupRef, fromConfig, identity"],
    },
    {
      name: "two sources",
      spec: { source: { backupRef, fromConfig: { name: "postgres-data" } } },
      problems: ["spec.source: Invalid value: exactly one of"],
    },
    {
      name: "two targets",
      spec: { source: { backupRef }, target: { pvc: { name: "new", capacity: "1Gi" }, pvcRef } },
      problems: ["spec.target: Invalid value: exactly one of pvc, pvcRef must be set"],
    },
    {
      name: "a target that is there, and empty",
      spec: { source: { backupRef }, target: {} },
      problems: ["spec.target: Invalid value: exactly one of pvc, pvcRef must be set"],
    },
    {
      name: "a new claim without a size",
      spec: { source: { backupRef }, target: { pvc: { name: "restored" } } },
      problems: ["spec.target.pvc.capacity: Required value", "<nil>: Invalid value"],
    },
    {
      name: "one snapshot and a time",
      spec: {
        repository,
        source: { identity: { ...identity, snapshotID: "k1f1", asOf: "2026-05-23T20:00:00Z" } },
      },
      problems: ["spec.source.identity: Invalid value: snapshotID names one snapshot"],
    },
    {
      name: "one volume by claim and by path",
      spec: { source: { backupRef: { ...backupRef, pvc: "a", sourcePath: "/a" } } },
      problems: ["spec.source.backupRef: Invalid value: only one of pvc, sourcePath may be set"],
    },
    {
      name: "a time that is none",
      spec: { source: { fromConfig: { name: "postgres-data", asOf: "yesterday" } } },
      problems: ['spec.source.fromConfig.asOf: Invalid value: "yesterday"', "<nil>: Invalid value"],
    },
    {
      name: "a way back into the future",
      spec: { source: { fromConfig: { name: "postgres-data", offset: -1 } } },
      problems: ["spec.source.fromConfig.offset: Invalid value: -1"],
    },
    {
      name: "an offset beyond what a mover answers with",
      spec: { source: { fromConfig: { name: "postgres-data", offset: 100 } } },
      problems: ["spec.source.fromConfig.offset: Invalid value: 100"],
    },
    {
      name: "another source after a failure",
      spec: { ...inPlace, source: { backupRef: { name: "other" } } },
      old: { spec: inPlace, status: { phase: "Failed" } },
    },
    {
      name: "another source while data is being written",
      spec: { ...inPlace, source: { backupRef: { name: "other" } } },
      old: { spec: inPlace, status: { phase: "Restoring" } },
      problems: [frozen("source")],
    },
    {
      name: "a target that goes when all is done",
      spec: { source: { backupRef } },
      old: { spec: inPlace, status: { phase: "Completed" } },
      problems: [frozen("target")],
    },
    {
      name: "another source for the claims to come",
      spec: { source: { fromConfig: { name: "other" } } },
      old: { spec: passive, status: { phase: "Completed" } },
    },
  ],
};
