import { admissionRights, namespaceRights, ownKindRights } from "../../core/api_rights.ts";
import { CLAIM_RIGHTS } from "../../core/volumes/claim_rights.ts";
import { POPULATION_RIGHTS } from "../../core/volumes/populator/population_rights.ts";
import { VolumePopulators } from "../../core/volumes/populator/register_populator.ts";
import { STAGING_RIGHTS } from "../../core/volumes/staging/staging_rights.ts";
import { RUN_RIGHTS } from "../../core/work/run_rights.ts";
import { GITOPS_RIGHTS } from "../../core/workloads/gitops/gitops_rights.ts";
import { HOOK_RIGHTS } from "../../core/workloads/hooks/hook_rights.ts";
import { SCALING_RIGHTS } from "../../core/workloads/scaling/scaling_rights.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { KINDS } from "../../kinds/kopiur/kinds.ts";
import { adoptionRights } from "../../kube/adoption/adoption_rights.ts";
import { ConfigMaps, CsiDrivers, Pods, StorageClasses, SubjectAccessReviews } from "../../kube/builtin.ts";
import { LISTED_WHERE_NOT_STREAMED, type Right } from "../../kube/rights.ts";
import { EVENT_RIGHTS } from "../../kube/write/event_rights.ts";

const OWN_KINDS: readonly Right[] = [
  ...[repositoryResource, backupScheduleResource].flatMap((resource) => ownKindRights(resource)),
  ...ownKindRights(backupConfigResource),
  {
    resource: backupConfigResource,
    verbs: ["create", "patch", "delete"],
    when: ["cluster"],
    why: "a BackupConfig for PVCs of several namespaces is repeated in each that allows it",
  },
  ...ownKindRights(backupResource, ["create", "patch", "delete"]),
  ...ownKindRights(restoreResource, ["patch"]),
  ...ownKindRights(maintenanceResource, ["create", "delete"]),
  ...ownKindRights(clusterRepositoryResource, [], ["cluster"]),
  ...[repositoryResource, clusterRepositoryResource].map(
    (resource): Right => ({
      resource,
      subresource: "finalizers",
      verbs: ["update"],
      ...(resource.namespaced ? {} : { when: ["cluster"] }),
      why: "a default Maintenance is owned by its repository, which some clusters allow only with this",
      unseen: { update: "only their admission plugin looks whether it is there" },
    }),
  ),
];

/** All that this API asks of the API server, the parts of the engine room that it uses included. */
export const KOPIUR_RIGHTS: readonly Right[] = [
  ...OWN_KINDS,
  ...RUN_RIGHTS,
  ...CLAIM_RIGHTS,
  ...STAGING_RIGHTS,
  ...POPULATION_RIGHTS,
  ...HOOK_RIGHTS,
  ...SCALING_RIGHTS,
  ...GITOPS_RIGHTS,
  ...EVENT_RIGHTS,
  ...admissionRights("kopiur"),
  ...adoptionRights(KINDS.map(({ resource }) => resource)),
  ...namespaceRights("labels of namespaces say who may use a repository, and annotations what movers may do"),
  { resource: ConfigMaps, verbs: ["get"], why: "a repository's certificate authority may be in a ConfigMap" },
  { resource: Pods, verbs: ["list"], why: "a mover may take the security context of a workload over" },
  ...[StorageClasses, CsiDrivers].map(
    (resource): Right => ({
      resource,
      verbs: ["list", "watch"],
      when: ["cluster", "webhooks"],
      why: "a claim whose class would ignore its data source is refused",
      unseen: LISTED_WHERE_NOT_STREAMED,
    }),
  ),
  {
    resource: SubjectAccessReviews,
    verbs: ["create"],
    when: ["webhooks"],
    why: "whoever refers to another namespace must have a right there",
  },
  {
    resource: VolumePopulators,
    verbs: ["create"],
    when: ["cluster"],
    why: "Restores are registered as sources of data",
  },
];
