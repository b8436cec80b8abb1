import { CLAIM_RIGHTS } from "../../core/volumes/claim_rights.ts";
import { POPULATION_RIGHTS } from "../../core/volumes/populator/population_rights.ts";
import { STAGING_RIGHTS } from "../../core/volumes/staging/staging_rights.ts";
import { RUN_RIGHTS } from "../../core/work/run_rights.ts";
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
import { webhookRemovalRights, webhookRights } from "../../kube/admission/webhook_rights.ts";
import { adoptionRights } from "../../kube/adoption/adoption_rights.ts";
import {
  ConfigMaps,
  CsiDrivers,
  Namespaces,
  Pods,
  StorageClasses,
  SubjectAccessReviews,
} from "../../kube/builtin.ts";
import type { Resource } from "../../kube/resource.ts";
import {
  type Condition,
  LISTED_WHERE_NOT_STREAMED,
  OWN_NAMESPACE,
  type Right,
  type Verb,
} from "../../kube/rights.ts";
import { EVENT_RIGHTS } from "../../kube/write/event_rights.ts";
import { kopiurCertificatesName, kopiurWebhooksName } from "./admission/kopiur_admission.ts";
import { VolumePopulators } from "./restore/populate/register_populator.ts";

const READ: readonly Verb[] = ["get", "list", "watch"];

const OWN_KINDS: readonly Right[] = [
  ...[repositoryResource, backupScheduleResource].flatMap((resource) => kind(resource)),
  ...kind(backupConfigResource),
  {
    resource: backupConfigResource,
    verbs: ["create", "patch", "delete"],
    when: ["cluster"],
    why: "a recipe for claims of several namespaces is repeated in each that allows it",
  },
  ...kind(backupResource, ["create", "patch", "delete"]),
  ...kind(restoreResource, ["patch"]),
  ...kind(maintenanceResource, ["create", "delete"]),
  ...kind(clusterRepositoryResource, [], ["cluster"]),
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

/** What the controllers of this API read and write of a kind of their own. */
function kind(
  resource: Resource,
  more: readonly Verb[] = [],
  when: readonly Condition[] = [],
): readonly Right[] {
  return [
    {
      resource,
      verbs: [...READ, ...more],
      when,
      why: "objects of this API are carried out",
      unseen: LISTED_WHERE_NOT_STREAMED,
    },
    { resource, subresource: "status", verbs: ["patch"], when, why: "objects of this API say how they are" },
  ];
}

function admissionRights(when: "cluster" | "namespaced"): readonly Right[] {
  const namespace = when === "cluster" ? undefined : OWN_NAMESPACE;
  return webhookRights({
    configuration: kopiurWebhooksName(namespace),
    secret: kopiurCertificatesName(namespace),
    when: [when],
  });
}

/**
 * What taking its webhooks back asks for: not only where this API is served, as it may have been before, and those of
 * either scope, which may have been another.
 */
export const KOPIUR_WEBHOOK_REMOVAL_RIGHTS: readonly Right[] = [
  ...webhookRemovalRights(kopiurWebhooksName()),
  ...webhookRemovalRights(kopiurWebhooksName(OWN_NAMESPACE)),
];

/** All that this API asks of the API server beside these, the rooms that it uses included. */
export const KOPIUR_RIGHTS: readonly Right[] = [
  ...OWN_KINDS,
  ...RUN_RIGHTS,
  ...CLAIM_RIGHTS,
  ...STAGING_RIGHTS,
  ...POPULATION_RIGHTS,
  ...HOOK_RIGHTS,
  ...SCALING_RIGHTS,
  ...EVENT_RIGHTS,
  ...admissionRights("cluster"),
  ...admissionRights("namespaced"),
  ...adoptionRights(KINDS.map(({ resource }) => resource)),
  {
    resource: Namespaces,
    verbs: ["list", "watch"],
    when: ["cluster"],
    why: "labels of namespaces say who may use a repository, and annotations what movers may do",
    unseen: LISTED_WHERE_NOT_STREAMED,
  },
  {
    resource: Namespaces,
    verbs: ["list", "watch"],
    names: [OWN_NAMESPACE],
    when: ["namespaced"],
    why: "annotations of the namespace say what movers may do",
    unseen: LISTED_WHERE_NOT_STREAMED,
  },
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
