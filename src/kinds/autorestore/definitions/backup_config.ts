import { z } from "zod";
import { defineKind } from "../../../kube/schema/kind.ts";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GROUP, VERSION } from "../group.ts";
import { repositorySettings } from "./repository_settings.ts";
import { AGE, common, count, cron, KIND_NAMES, namespaceName, REASON, text } from "./words.ts";

const labelSelector = z.object({
  matchLabels: v.labels().describe("Labels that the PVC has.").optional(),
  matchExpressions: z
    .array(
      z.object({
        key: text(317).min(1).describe("Key of the label."),
        operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]).describe("How to compare."),
        values: z.array(text(63)).max(32).describe("Values, for In and NotIn.").optional(),
      }),
    )
    .max(16)
    .describe("Conditions on labels of the PVC. All of them hold.")
    .optional(),
});

const selector = v.rule(
  z.object({
    labelSelector: labelSelector.describe("Labels of the PVC.").optional(),
    annotationSelector: v
      .stringMap({ maxEntries: 16, maxLength: 1024 })
      .describe("Annotations that the PVC has, with these values.")
      .optional(),
    namespaces: z
      .array(namespaceName())
      .max(64)
      .describe(
        "Namespaces of the PVCs. Default: the BackupConfig's. Another namespace has to allow it with an annotation.",
      )
      .optional(),
    names: z.array(v.objectName()).max(64).describe("Names of PVCs.").optional(),
    stopPods: z
      .boolean()
      .default(true)
      .describe(
        "Scale the workloads that use the PVC to zero while a restore writes it, and back afterwards. Otherwise a restore waits until nothing uses the PVC.",
      ),
    waitForHealthy: z
      .boolean()
      .default(false)
      .describe("Begin a backup only once all pods that use the PVC are ready."),
  }),
  {
    rule: "has(self.labelSelector) || has(self.annotationSelector) || has(self.names) || has(self.namespaces)",
    message: "a selector selects by labelSelector, annotationSelector, names or namespaces",
  },
);

const repository = v.rule(
  z.object({
    name: v
      .objectName()
      .describe("Name of a ResticRepository in the namespace of the BackupConfig.")
      .optional(),
    ...repositorySettings(),
  }),
  {
    rule: "[has(self.name), has(self.repository), has(self.target)].filter(x, x).size() == 1",
    message: "name a ResticRepository, or give the URL of one that is to be created",
  },
);

const keep = (what: string) => z.int().min(0).max(10_000).describe(`${what} to keep.`).optional();

const retention = z.object({
  keepLast: keep("Number of newest snapshots"),
  keepHourly: keep("Number of hours with their last snapshot"),
  keepDaily: keep("Number of days with their last snapshot"),
  keepWeekly: keep("Number of weeks with their last snapshot"),
  keepMonthly: keep("Number of months with their last snapshot"),
  keepYearly: keep("Number of years with their last snapshot"),
  keepWithin: text(32)
    .regex(/^([0-9]+[ymdhw])+$/)
    .describe("Keep every snapshot that is younger, such as 30d or 1y6m.")
    .optional(),
});

const target = v.rule(
  z.object({
    name: z
      .string()
      .min(1)
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      .describe("Name of the target."),
    priority: z
      .int()
      .min(0)
      .max(1000)
      .default(0)
      .describe("Restores look for a snapshot in the target of the lowest number first."),
    repository: repository.describe("The restic repository."),
    backupSchedule: cron().describe("When to back up, in five fields of cron, in UTC.").optional(),
    schedule: cron().describe("The same as backupSchedule.").optional(),
    retentionSchedule: cron()
      .describe("When to apply the retention. Default: after every backup.")
      .optional(),
    retention: retention
      .describe("Which scheduled snapshots to keep, by PVC. Default: all. The newest one always stays.")
      .optional(),
  }),
  {
    rule: "!(has(self.backupSchedule) && has(self.schedule))",
    message: "set backupSchedule, or schedule, which means the same",
  },
);

const jobs = (what: string) =>
  z
    .object({
      successful: count().describe("Number that succeeded.").optional(),
      running: count().describe("Number that run.").optional(),
      pending: count().describe("Number that wait.").optional(),
      failed: count().describe("Number that failed.").optional(),
    })
    .describe(what)
    .optional();

export const backupConfig = defineKind({
  ...KIND_NAMES,
  group: GROUP,
  version: VERSION,
  kind: "BackupConfig",
  plural: "backupconfigs",
  scope: "Namespaced",
  description: "Which PVCs to back up, where to, how often, and what to keep.",
  spec: z
    .object({
      selectors: z
        .array(selector)
        .min(1)
        .max(32)
        .describe("Which PVCs. A PVC that any of these selects is selected once."),
      backupTargets: v.listMap(target, ["name"], 8).min(1).describe("Where backups are stored."),
      autoRestore: z
        .boolean()
        .default(false)
        .describe("Restore the latest snapshot into a new PVC when this BackupConfig claims it."),
    })
    .describe("Which PVCs to back up, and where to."),
  status: z
    .object({
      managedPVCs: z
        .array(text(317))
        .max(100)
        .describe("The PVCs that this BackupConfig has claimed, as namespace/name. Of many, the first 100.")
        .optional(),
      pvcCount: count().describe("Number of PVCs that it has claimed.").optional(),
      targetCount: count().describe("Number of targets.").optional(),
      targets: v
        .listMap(
          z.object({
            name: text(63).describe("Name of the target."),
            repository: text(253).describe("Name of its ResticRepository.").optional(),
            lastBackup: v
              .timestamp()
              .describe("The last scheduled time for which backups were created.")
              .optional(),
            nextBackup: v.timestamp().describe("The next scheduled time.").optional(),
            lastRetention: v.timestamp().describe("When the retention was last applied.").optional(),
            schedule: text(256).describe("The schedule that these times belong to.").optional(),
            problem: text(1024).describe("Why the target is not used.").optional(),
          }),
          ["name"],
          8,
        )
        .describe("The targets.")
        .optional(),
      backupJobs: jobs("Backups."),
      restoreJobs: jobs("Restores."),
      lastRetentionCheck: v.timestamp().describe("When a retention was last applied.").optional(),
      ...common(),
    })
    .describe("The claimed PVCs, the targets, and what was done."),
  printerColumns: [
    { name: "PVCs", type: "integer", jsonPath: ".status.pvcCount" },
    { name: "Targets", type: "integer", jsonPath: ".status.targetCount" },
    { name: "Backup Success", type: "integer", jsonPath: ".status.backupJobs.successful" },
    { name: "Backup Running", type: "integer", jsonPath: ".status.backupJobs.running" },
    { name: "Backup Failed", type: "integer", jsonPath: ".status.backupJobs.failed" },
    { name: "Restore Success", type: "integer", jsonPath: ".status.restoreJobs.successful" },
    { name: "Restore Running", type: "integer", jsonPath: ".status.restoreJobs.running" },
    { name: "Restore Failed", type: "integer", jsonPath: ".status.restoreJobs.failed" },
    REASON,
    AGE,
  ],
});
