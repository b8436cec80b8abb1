import { RUN_RIGHTS, START_SIGNAL_RIGHTS } from "../../core/work/run_rights.ts";
import { dataDownloadResource, dataUploadResource } from "../../kinds/velero/data_movement.ts";
import { backupRepositoryResource } from "../../kinds/velero/generated/backup_repository.ts";
import { backupStorageLocationResource } from "../../kinds/velero/generated/backup_storage_location.ts";
import { podVolumeBackupResource } from "../../kinds/velero/generated/pod_volume_backup.ts";
import { podVolumeRestoreResource } from "../../kinds/velero/generated/pod_volume_restore.ts";
import {
  DaemonSets,
  Deployments,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
} from "../../kube/builtin.ts";
import { LISTED_WHERE_NOT_STREAMED, type Right } from "../../kube/rights.ts";
import { EVENT_RIGHTS } from "../../kube/write/event_rights.ts";

const WATCHED = { unseen: LISTED_WHERE_NOT_STREAMED };

/** All that this API asks of the API server. */
export const VELERO_RIGHTS: readonly Right[] = [
  ...[podVolumeBackupResource, podVolumeRestoreResource].map(
    (resource): Right => ({
      resource,
      verbs: ["list", "watch", "patch"],
      why: "pod volumes are backed up and restored, and say how far they are",
      ...WATCHED,
    }),
  ),
  {
    resource: backupRepositoryResource,
    verbs: ["list", "watch", "create", "patch"],
    why: "a namespace's volumes go into its repository, which is made where no Velero server does",
    ...WATCHED,
  },
  {
    resource: backupStorageLocationResource,
    verbs: ["list", "watch", "patch"],
    why: "a location says where its repositories are, and, where no Velero server does, whether they can be reached",
    ...WATCHED,
  },
  ...[dataUploadResource, dataDownloadResource].map(
    (resource): Right => ({
      resource,
      verbs: ["list", "watch", "patch"],
      why: "what only Velero's own data mover can do is refused at once",
      ...WATCHED,
    }),
  ),
  ...RUN_RIGHTS,
  ...START_SIGNAL_RIGHTS,
  ...EVENT_RIGHTS,
  {
    resource: Deployments,
    verbs: ["get"],
    why: "repositories are left to a Velero server where there is one",
  },
  { resource: DaemonSets, verbs: ["get"], why: "movers inherit settings of the node agent" },
  { resource: PersistentVolumeClaims, verbs: ["get"], why: "a pod's volume leads to its PersistentVolume" },
  {
    resource: PersistentVolumes,
    verbs: ["get"],
    when: ["clusterReads"],
    why: "the kind of a volume says in which folder of the node it is",
  },
  {
    resource: Namespaces,
    verbs: ["list", "watch"],
    why: "annotations of namespaces say what movers may do",
    ...WATCHED,
  },
];
