import { z } from "zod";
import * as v from "../../../kube/schema/vocabulary.ts";
import { GUARD_DEFAULTS, MOST_DELETIONS } from "../deletion_limits.ts";
import { cron, text } from "./words.ts";

const secretKey = () =>
  z.object({
    name: v.objectName().describe("Name of the Secret."),
    key: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[-._a-zA-Z0-9]+$/)
      .describe("Key in the Secret."),
  });

const url = () => text(1024).min(1);

const variable = v.rule(
  z.object({
    name: z
      .string()
      .min(1)
      .max(128)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .describe("Name of the variable."),
    value: text(1024).describe("Its value, if it is no secret, such as a region.").optional(),
    valueFrom: z
      .object({ secretKeyRef: secretKey().describe("The key of a Secret that holds the value.") })
      .describe("Where its value is.")
      .optional(),
  }),
  {
    rule: "has(self.value) != has(self.valueFrom)",
    message: "set value or valueFrom, and only one of them",
  },
);

/** The settings of a restic repository: of a ResticRepository, or within a target of a BackupConfig. */
export const repositorySettings = () => ({
  repository: url()
    .describe("URL of the restic repository, such as s3:s3.amazonaws.com/bucket/path.")
    .optional(),
  target: url().describe("The same as repository.").optional(),
  passwordSecretRef: secretKey()
    .describe("The key of a Secret that holds the repository's password.")
    .optional(),
  env: v
    .listMap(variable, ["name"], 32)
    .describe("Environment variables for access to the repository, such as AWS_ACCESS_KEY_ID.")
    .optional(),
  volume: z
    .object({ claimName: v.objectName().describe("Name of the PVC.") })
    .describe("The PVC that holds the repository, if its URL is an absolute path.")
    .optional(),
  additionalFlags: z.array(text(1024).min(1)).max(32).describe("Further flags of restic backup.").optional(),
  maintenanceSchedule: z
    .object({
      check: cron().describe("When to check the structure of the repository.").optional(),
      prune: cron()
        .describe("When to free the space of deleted snapshots. Default: Sunday at 3 o'clock.")
        .optional(),
      verification: cron().describe("When to read and verify a part of the stored data.").optional(),
      verificationPercent: z
        .int()
        .min(1)
        .max(100)
        .default(5)
        .describe("Percentage of the stored data that a verification reads."),
    })
    .describe("When to maintain the repository, in five fields of cron, in UTC.")
    .optional(),
  deletionGuard: z
    .object({
      maxDeletions: z
        .int()
        .min(1)
        .max(MOST_DELETIONS)
        .default(GUARD_DEFAULTS.maxDeletions)
        .describe("How many ResticBackups may be deleted by anyone but the operator."),
      window: v.duration().default(GUARD_DEFAULTS.window).describe("Within which time."),
      lastBackups: z
        .enum(["Hold", "Delete"])
        .default(GUARD_DEFAULTS.lastBackups)
        .describe(
          "Deletions of the last good ResticBackup of a PVC, or of most of its ResticBackups: `Hold` them too, or `Delete` at once.",
        ),
    })
    .describe(
      "The operator holds deletions of snapshots if there are more than this, until a person acknowledges them. Default: 20 in 10 minutes.",
    )
    .optional(),
  privilegedMover: z
    .boolean()
    .default(false)
    .describe(
      "Run the movers as root, so that they read and restore files of any owner. The namespace has to allow it.",
    ),
});

export const ONE_URL = {
  rule: "has(self.repository) != has(self.target)",
  message: "set repository, or target, which means the same",
} as const;
