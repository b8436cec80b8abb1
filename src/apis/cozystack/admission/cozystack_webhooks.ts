import { type GuardPorts, guardWebhooks } from "../../../core/admission/guard.ts";
import type { KnownMarks } from "../../../core/admission/misspelt.ts";
import { DELETION_REASON } from "../../../core/reconcile/annotations.ts";
import { backupResource, backupSchema } from "../../../kinds/cozystack/generated/backup.ts";
import { backupClassResource, backupClassSchema } from "../../../kinds/cozystack/generated/backup_class.ts";
import { backupJobResource, backupJobSchema } from "../../../kinds/cozystack/generated/backup_job.ts";
import { jobResource, jobSchema } from "../../../kinds/cozystack/generated/job.ts";
import {
  jobBackupStrategyResource,
  jobBackupStrategySchema,
} from "../../../kinds/cozystack/generated/job_backup_strategy.ts";
import { planResource, planSchema } from "../../../kinds/cozystack/generated/plan.ts";
import { restoreJobResource, restoreJobSchema } from "../../../kinds/cozystack/generated/restore_job.ts";
import { veleroResource, veleroSchema } from "../../../kinds/cozystack/generated/velero.ts";
import { volumeResource, volumeSchema } from "../../../kinds/cozystack/generated/volume.ts";
import { GROUP } from "../../../kinds/cozystack/group.ts";
import {
  ANNOTATIONS,
  CONSENTS,
  LABELS,
  LENDABLE,
  MADE_BY,
  RESTORES_ELSEWHERE,
  RESTORES_FROM,
} from "../../../kinds/cozystack/labels.ts";
import type { Webhook } from "../../../kube/admission/webhook.ts";
import { lendingCrossings, lendingRules } from "../core/lending_consent.ts";
import { restoreCrossings, restoreRules } from "../core/restore_consent.ts";
import { backupAuthorWebhook } from "./backup_author_webhook.ts";
import { backupOwnerWebhook } from "./backup_owner_webhook.ts";
import {
  checkBackup,
  checkBackupJob,
  checkClass,
  checkJobStrategy,
  checkPlan,
  checkRestoreJob,
  checkVelero,
  checkVolume,
} from "./checks.ts";
import type { Lookup } from "./lookup.ts";

/** The labels and annotations of this API. */
const MARKS: KnownMarks = {
  prefix: `${GROUP}/`,
  names: [
    ...Object.values(LABELS),
    ...Object.values(ANNOTATIONS),
    CONSENTS,
    MADE_BY,
    RESTORES_ELSEWHERE,
    RESTORES_FROM,
    LENDABLE,
    `${GROUP}/${DELETION_REASON}`,
  ],
  switches: [ANNOTATIONS.hold, ANNOTATIONS.acknowledgeShrink, RESTORES_ELSEWHERE],
};

export type CozystackWebhooksOptions = Omit<GuardPorts<Lookup>, "api" | "consent" | "marks">;

/** How each kind of this API is guarded. */
export function cozystackWebhooks(options: CozystackWebhooksOptions): readonly Webhook[] {
  const ports = { ...options, api: "cozystack", consent: restoreRules(options.lookup), marks: MARKS };
  const strategies = {
    job: {
      resource: jobResource,
      schema: jobSchema,
      check: checkJobStrategy,
      crossings: lendingCrossings,
    },
    velero: { resource: veleroResource, schema: veleroSchema, check: checkVelero },
    volume: { resource: volumeResource, schema: volumeSchema, check: checkVolume },
    documented: {
      resource: jobBackupStrategyResource,
      schema: jobBackupStrategySchema,
      check: checkJobStrategy,
      crossings: lendingCrossings,
    },
  };
  const lending = { ...ports, consent: lendingRules(options.lookup) };
  return [
    ...guardWebhooks({ resource: planResource, schema: planSchema, check: checkPlan }, ports),
    ...guardWebhooks({ resource: backupClassResource, schema: backupClassSchema, check: checkClass }, ports),
    ...guardWebhooks({ resource: backupJobResource, schema: backupJobSchema, check: checkBackupJob }, ports),
    ...guardWebhooks({ resource: backupResource, schema: backupSchema, check: checkBackup }, ports),
    backupAuthorWebhook(ports),
    backupOwnerWebhook(ports),
    ...guardWebhooks(
      {
        resource: restoreJobResource,
        schema: restoreJobSchema,
        check: checkRestoreJob,
        crossings: restoreCrossings,
      },
      ports,
    ),
    ...guardWebhooks(strategies.volume, ports),
    ...guardWebhooks(strategies.job, lending),
    ...guardWebhooks(strategies.velero, ports),
    ...guardWebhooks(strategies.documented, lending),
  ];
}
