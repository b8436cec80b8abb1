import { admissionRights, ownKindRights } from "../../core/api_rights.ts";
import { CLAIM_RIGHTS } from "../../core/volumes/claim_rights.ts";
import { RUN_RIGHTS } from "../../core/work/run_rights.ts";
import { HOOK_RIGHTS } from "../../core/workloads/hooks/hook_rights.ts";
import { backupResource } from "../../kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../kinds/cozystack/generated/backup_job.ts";
import { jobResource } from "../../kinds/cozystack/generated/job.ts";
import { jobBackupStrategyResource } from "../../kinds/cozystack/generated/job_backup_strategy.ts";
import { planResource } from "../../kinds/cozystack/generated/plan.ts";
import { restoreJobResource } from "../../kinds/cozystack/generated/restore_job.ts";
import { veleroResource } from "../../kinds/cozystack/generated/velero.ts";
import { volumeResource } from "../../kinds/cozystack/generated/volume.ts";
import { APPLICATION_GROUP } from "../../kinds/cozystack/group.ts";
import { KINDS } from "../../kinds/cozystack/kinds.ts";
import { backupResource as nativeBackupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { VELERO_BACKUPS, VELERO_DELETIONS, VELERO_RESTORES } from "../../kinds/velero/server_objects.ts";
import { adoptionRights } from "../../kube/adoption/adoption_rights.ts";
import { Deployments, Namespaces, StatefulSets, SubjectAccessReviews } from "../../kube/builtin.ts";
import { LISTED_WHERE_NOT_STREAMED, type Right } from "../../kube/rights.ts";
import { EVENT_RIGHTS } from "../../kube/write/event_rights.ts";

/** Classes and strategies have no namespace: an operator of one namespace does not serve this API. */
const CLUSTER = ["cluster"] as const;

const READ_ONLY = [
  backupClassResource,
  volumeResource,
  jobResource,
  veleroResource,
  jobBackupStrategyResource,
];

const APPLICATIONS = [
  { group: APPLICATION_GROUP, plural: "*", namespaced: true },
  StatefulSets,
  Deployments,
].map(
  (resource): Right => ({
    resource,
    verbs: ["get"],
    when: CLUSTER,
    why: "the templates of a strategy may name any field of the application",
  }),
);

/** The core's rights, and those of its drivers, which a driver of others has itself. */
export const COZYSTACK_RIGHTS: readonly Right[] = [
  ...ownKindRights(planResource, [], CLUSTER),
  ...ownKindRights(backupJobResource, ["create", "patch", "delete"], CLUSTER),
  ...ownKindRights(backupResource, ["create", "patch", "delete"], CLUSTER),
  ...ownKindRights(restoreJobResource, ["patch"], CLUSTER),
  ...READ_ONLY.map(
    (resource): Right => ({
      resource,
      verbs: ["list", "watch"],
      when: CLUSTER,
      why: "classes and strategies say how applications are backed up",
      unseen: LISTED_WHERE_NOT_STREAMED,
    }),
  ),
  {
    resource: backupConfigResource,
    verbs: ["create", "patch"],
    when: CLUSTER,
    why: "the Volume driver describes the volumes of an application in one",
  },
  ...[nativeBackupResource, restoreResource].map(
    (resource): Right => ({
      resource,
      verbs: ["list", "watch", "create", "patch", "delete"],
      when: CLUSTER,
      why: "the Volume driver has the native API do the work",
      unseen: LISTED_WHERE_NOT_STREAMED,
    }),
  ),
  ...[VELERO_BACKUPS, VELERO_RESTORES, VELERO_DELETIONS].map(
    (resource): Right => ({
      resource,
      verbs: ["get", "create"],
      when: CLUSTER,
      why: "the Velero driver has Velero do the work",
      unseen: { get: "only where Velero is installed", create: "only where Velero is installed" },
    }),
  ),
  ...APPLICATIONS,
  ...CLAIM_RIGHTS,
  ...RUN_RIGHTS,
  ...HOOK_RIGHTS,
  ...EVENT_RIGHTS,
  ...admissionRights("cozystack"),
  {
    resource: SubjectAccessReviews,
    verbs: ["create"],
    when: ["cluster", "webhooks"],
    why: "whoever restores into another namespace, or writes a Backup by hand, must have a right to",
  },
  ...adoptionRights(KINDS.map(({ resource }) => resource)),
  {
    resource: Namespaces,
    verbs: ["list", "watch"],
    when: CLUSTER,
    why: "in a namespace that is being deleted, finalizers are removed at once",
    unseen: LISTED_WHERE_NOT_STREAMED,
  },
];
