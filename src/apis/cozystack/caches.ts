import { type Backup, backupResource } from "../../kinds/cozystack/generated/backup.ts";
import { type BackupClass, backupClassResource } from "../../kinds/cozystack/generated/backup_class.ts";
import { type BackupJob, backupJobResource } from "../../kinds/cozystack/generated/backup_job.ts";
import { type Plan, planResource } from "../../kinds/cozystack/generated/plan.ts";
import { type RestoreJob, restoreJobResource } from "../../kinds/cozystack/generated/restore_job.ts";
import { Namespaces } from "../../kube/builtin.ts";
import type { Cache } from "../../kube/cache/cache.ts";
import type { Informers } from "../../kube/cache/informers.ts";
import { type KubeObject, keyOf } from "../../kube/object.ts";

/** What is known of the objects of this API. */
export interface CozystackCaches {
  readonly plans: Cache<Plan>;
  readonly classes: Cache<BackupClass>;
  readonly backupJobs: Cache<BackupJob>;
  readonly backups: Cache<Backup>;
  readonly restoreJobs: Cache<RestoreJob>;
  readonly namespaces: Cache<KubeObject>;
}

/** By namespace and name of a Plan. */
export const BY_PLAN = "plan";
/** Backups by the UIDs of their owners. */
export const BY_OWNER = "owner";
/** BackupJobs and Plans by the name of their class. */
export const BY_CLASS = "class";
/** RestoreJobs by namespace and name of their Backup. */
export const BY_BACKUP = "backup";

// Each is the same function whenever the caches are asked for: they are shared.
const ofPlan = ({ metadata, spec }: BackupJob | Backup) =>
  spec.planRef ? [keyOf({ namespace: metadata.namespace, name: spec.planRef.name })] : [];
const ofOwner = ({ metadata }: Backup) => (metadata.ownerReferences ?? []).map(({ uid }) => uid);
const ofClass = ({ spec }: BackupJob | Plan) => [spec.backupClassName];
const ofBackup = ({ metadata, spec }: RestoreJob) => [
  keyOf({ namespace: metadata.namespace, name: spec.backupRef.name }),
];

export function cozystackCaches(informers: Pick<Informers, "cache">): CozystackCaches {
  return {
    plans: informers.cache({ resource: planResource, indexes: { [BY_CLASS]: ofClass } }),
    classes: informers.cache({ resource: backupClassResource }),
    backupJobs: informers.cache({
      resource: backupJobResource,
      indexes: { [BY_PLAN]: ofPlan, [BY_CLASS]: ofClass },
    }),
    backups: informers.cache({
      resource: backupResource,
      indexes: { [BY_PLAN]: ofPlan, [BY_OWNER]: ofOwner },
    }),
    restoreJobs: informers.cache({ resource: restoreJobResource, indexes: { [BY_BACKUP]: ofBackup } }),
    namespaces: informers.cache<KubeObject>({ resource: Namespaces, metadataOnly: true }),
  };
}
