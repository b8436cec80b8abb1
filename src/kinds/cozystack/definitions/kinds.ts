import type { Kind } from "../../../kube/schema/kind.ts";
import { backup } from "./backup.ts";
import { backupClass } from "./backup_class.ts";
import { backupJob } from "./backup_job.ts";
import { job, jobBackupStrategy } from "./job.ts";
import { plan } from "./plan.ts";
import { restoreJob } from "./restore_job.ts";
import { velero } from "./velero.ts";
import { volume } from "./volume.ts";

/** The kinds of plans and strategies. */
export const cozystackKinds: readonly Kind[] = [
  plan,
  backupClass,
  backupJob,
  backup,
  restoreJob,
  volume,
  job,
  velero,
  jobBackupStrategy,
];
