import type { Resource } from "../../kube/resource.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { backupResource, backupSchema } from "./generated/backup.ts";
import { backupClassResource, backupClassSchema } from "./generated/backup_class.ts";
import { backupJobResource, backupJobSchema } from "./generated/backup_job.ts";
import { jobResource, jobSchema } from "./generated/job.ts";
import { jobBackupStrategyResource, jobBackupStrategySchema } from "./generated/job_backup_strategy.ts";
import { planResource, planSchema } from "./generated/plan.ts";
import { restoreJobResource, restoreJobSchema } from "./generated/restore_job.ts";
import { veleroResource, veleroSchema } from "./generated/velero.ts";
import { volumeResource, volumeSchema } from "./generated/volume.ts";

/** A kind as programs know it. */
export interface KnownKind {
  readonly resource: Resource;
  readonly schema: Structural;
  /** The operator creates such objects itself, and not people alone. */
  readonly created?: true;
}

/** Every kind of plans and strategies. */
export const KINDS: readonly KnownKind[] = [
  { resource: planResource, schema: planSchema },
  { resource: backupClassResource, schema: backupClassSchema },
  { resource: backupJobResource, schema: backupJobSchema, created: true },
  { resource: backupResource, schema: backupSchema, created: true },
  { resource: restoreJobResource, schema: restoreJobSchema },
  { resource: volumeResource, schema: volumeSchema },
  { resource: jobResource, schema: jobSchema },
  { resource: veleroResource, schema: veleroSchema },
  { resource: jobBackupStrategyResource, schema: jobBackupStrategySchema },
];
