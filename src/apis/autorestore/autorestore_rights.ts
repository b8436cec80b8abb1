import { admissionRights, namespaceRights, ownKindRights } from "../../core/api_rights.ts";
import { CLAIM_RIGHTS } from "../../core/volumes/claim_rights.ts";
import { RUN_RIGHTS } from "../../core/work/run_rights.ts";
import { GITOPS_RIGHTS } from "../../core/workloads/gitops/gitops_rights.ts";
import { SCALING_RIGHTS, WORKLOAD_WATCH_RIGHTS } from "../../core/workloads/scaling/scaling_rights.ts";
import { backupConfigResource } from "../../kinds/autorestore/generated/backup_config.ts";
import { resticBackupResource } from "../../kinds/autorestore/generated/restic_backup.ts";
import { resticRepositoryResource } from "../../kinds/autorestore/generated/restic_repository.ts";
import { resticRestoreResource } from "../../kinds/autorestore/generated/restic_restore.ts";
import { KINDS } from "../../kinds/autorestore/kinds.ts";
import { adoptionRights } from "../../kube/adoption/adoption_rights.ts";
import { ConfigMaps, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Right } from "../../kube/rights.ts";
import { EVENT_RIGHTS } from "../../kube/write/event_rights.ts";

/** All that this API asks of the API server, the parts of the engine room that it uses included. */
export const AUTORESTORE_RIGHTS: readonly Right[] = [
  ...ownKindRights(backupConfigResource, ["patch"]),
  ...ownKindRights(resticRepositoryResource, ["create", "update"]),
  ...ownKindRights(resticBackupResource, ["create", "patch", "delete"]),
  ...ownKindRights(resticRestoreResource, ["create", "patch"]),
  ...RUN_RIGHTS,
  ...CLAIM_RIGHTS,
  ...SCALING_RIGHTS,
  ...WORKLOAD_WATCH_RIGHTS,
  ...GITOPS_RIGHTS,
  ...EVENT_RIGHTS,
  ...admissionRights("autorestore"),
  ...adoptionRights(KINDS.map(({ resource }) => resource)),
  { resource: PersistentVolumeClaims, verbs: ["patch"], why: "a BackupConfig claims PVCs by a label" },
  ...namespaceRights("annotations of namespaces say what movers and BackupConfigs of others may do"),
  { resource: ConfigMaps, verbs: ["get"], why: "a repository's certificate authority may be in a ConfigMap" },
];
