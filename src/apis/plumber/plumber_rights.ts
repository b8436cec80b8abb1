import { admissionRights } from "../../core/api_rights.ts";
import { RUN_RIGHTS } from "../../core/work/run_rights.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { ReplicationDestinations, ReplicationSources } from "../../kinds/plumber/volsync.ts";
import { ConfigMaps, Namespaces, PersistentVolumeClaims, SubjectAccessReviews } from "../../kube/builtin.ts";
import { LISTED_WHERE_NOT_STREAMED, type Right } from "../../kube/rights.ts";
import { EVENT_RIGHTS } from "../../kube/write/event_rights.ts";

const WATCHED = { verbs: ["list", "watch"], when: ["cluster"], unseen: LISTED_WHERE_NOT_STREAMED } as const;

/** All that this API asks of the API server. It reads no Secret. */
export const PLUMBER_RIGHTS: readonly Right[] = [
  ...[backupConfigResource, backupScheduleResource, restoreResource].map(
    (resource): Right => ({
      resource,
      verbs: ["list", "watch", "create", "patch", "delete"],
      when: ["cluster"],
      why: "labels of a PVC become native objects, which go some time after it",
      unseen: LISTED_WHERE_NOT_STREAMED,
    }),
  ),
  ...[ReplicationSources, ReplicationDestinations].map(
    (resource): Right => ({
      resource,
      verbs: ["create", "patch", "delete"],
      when: ["cluster", "volsync"],
      why: "labels of a PVC become VolSync's objects",
    }),
  ),
  ...[ReplicationSources, ReplicationDestinations].map(
    (resource): Right => ({
      ...WATCHED,
      resource,
      why: "a PVC that VolSync backs up gets no second schedule under the same identity",
      unseen: { ...LISTED_WHERE_NOT_STREAMED, watch: "VolSync's kinds need not be there" },
    }),
  ),
  {
    resource: backupResource,
    verbs: ["list", "watch", "create"],
    when: ["cluster"],
    why: "an annotation of a PVC asks for a backup now, and one that has ended is known at once",
    unseen: LISTED_WHERE_NOT_STREAMED,
  },
  ...[repositoryResource, clusterRepositoryResource].map(
    (resource): Right => ({ ...WATCHED, resource, why: "the repository with the backups of labelled PVCs" }),
  ),
  {
    resource: PersistentVolumeClaims,
    verbs: ["list", "watch", "patch"],
    when: ["cluster"],
    why: "labels and annotations of PVCs say what to protect, and an annotation how far that is",
    unseen: LISTED_WHERE_NOT_STREAMED,
  },
  { ...WATCHED, resource: Namespaces, why: "a label of a namespace lets the operator write in it" },
  {
    resource: ConfigMaps,
    verbs: ["list", "watch", "create", "patch"],
    home: true,
    when: ["cluster"],
    why: "the leader publishes which backups there are, and every replica reads that",
    unseen: { ...LISTED_WHERE_NOT_STREAMED, create: "an apply may ask for it as well" },
  },
  {
    resource: SubjectAccessReviews,
    verbs: ["create"],
    when: ["cluster", "webhooks"],
    why: "whoever names the backup identity of another namespace must have a right there",
  },
  ...RUN_RIGHTS,
  ...EVENT_RIGHTS,
  ...admissionRights("plumber"),
];
