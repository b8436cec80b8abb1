import type { KindCases } from "./case.ts";

const least = { configRef: { name: "postgres-data" } };
const running = { phase: "Running", origin: "manual" };
const succeeded = { phase: "Succeeded", origin: "manual" };
const frozen = (field: string) =>
  `spec.${field}: Invalid value: ${field} is immutable once the backup has begun`;

export const backupCases: KindCases = {
  kind: "Backup",
  cases: [
    { name: "the least, and nothing beside it", spec: least, stored: least },
    {
      name: "everything",
      spec: {
        configRef: { name: "postgres-data", namespace: "billing" },
        tags: { reason: "pre-schema-migration" },
        parameters: { compressionOverride: "none" },
        failurePolicy: { backoffLimit: 0, activeDeadlineSeconds: 60 },
        deletionPolicy: "Orphan",
      },
    },
    { name: "no spec, as one that was found in a repository has", spec: {}, stored: {} },
    { name: "Retain for one that was found", spec: { deletionPolicy: "Retain" } },
    {
      name: "Delete for one that was found",
      spec: { deletionPolicy: "Delete" },
      problems: ["spec.deletionPolicy: Invalid value: deletionPolicy must be Retain without configRef"],
    },
    {
      name: "tags for one that was found",
      spec: { tags: { a: "b" } },
      problems: ["spec: Invalid value: tags, parameters and failurePolicy need a configRef"],
    },
    {
      name: "a policy that there is not",
      spec: { ...least, deletionPolicy: "Keep" },
      problems: ['spec.deletionPolicy: Unsupported value: "Keep"', "<nil>: Invalid value"],
    },
    {
      name: "a tag that only the operator may set",
      spec: { ...least, tags: { "holdfast-run": "1" } },
      problems: ["spec.tags: Invalid value: a tag's name"],
    },
    {
      name: "a tag with a comma, which restic would take for two",
      spec: { ...least, tags: { a: "b,c" } },
      problems: ['spec.tags.a: Invalid value: "b,c"'],
    },
    {
      name: "a deadline of no time at all",
      spec: { ...least, failurePolicy: { activeDeadlineSeconds: 0 } },
      problems: ["spec.failurePolicy.activeDeadlineSeconds: Invalid value: 0"],
    },
    {
      name: "another recipe while it is pending",
      spec: { configRef: { name: "other" } },
      old: { spec: least, status: { phase: "Pending" } },
    },
    {
      name: "another recipe before anyone looked",
      spec: { configRef: { name: "other" } },
      old: { spec: least },
    },
    {
      name: "another recipe while it runs",
      spec: { configRef: { name: "other" } },
      old: { spec: least, status: running },
      problems: [frozen("configRef")],
    },
    {
      name: "another recipe once one was resolved, though it is pending",
      spec: { configRef: { name: "other" } },
      old: { spec: least, status: { phase: "Pending", resolved: { engine: "kopia" } } },
      problems: [frozen("configRef")],
    },
    {
      name: "other tags once it was resolved, while it is pending",
      spec: { ...least, tags: { a: "b" } },
      old: { spec: least, status: { phase: "Pending", resolved: { engine: "kopia" } } },
    },
    {
      name: "another recipe and other tags once another Backup does the work, though it is pending",
      spec: { configRef: { name: "postgres-data", namespace: "shop" }, tags: { a: "b" } },
      old: {
        spec: { configRef: { name: "postgres-data", namespace: "billing" } },
        status: { phase: "Pending", backupRef: { namespace: "billing", name: "first-1" } },
      },
      problems: [frozen("configRef"), frozen("tags")],
    },
    {
      name: "a recipe that goes",
      spec: { deletionPolicy: "Retain" },
      old: { spec: least, status: succeeded },
      problems: [frozen("configRef")],
    },
    {
      name: "a recipe for one that was found",
      spec: least,
      old: { spec: {}, status: { phase: "Discovered", origin: "discovered" } },
      problems: [frozen("configRef")],
    },
    {
      name: "tags that come late",
      spec: { ...least, tags: { a: "b" } },
      old: { spec: least, status: running },
      problems: [frozen("tags")],
    },
    {
      name: "parameters that change",
      spec: { ...least, parameters: { compressionOverride: "none" } },
      old: { spec: { ...least, parameters: { compressionOverride: "zstd" } }, status: succeeded },
      problems: [frozen("parameters")],
    },
    {
      name: "another fate, and more patience, at any time",
      spec: { ...least, deletionPolicy: "Retain", failurePolicy: { backoffLimit: 5 } },
      old: { spec: { ...least, deletionPolicy: "Delete" }, status: { phase: "Failed", origin: "scheduled" } },
    },
  ],
};
