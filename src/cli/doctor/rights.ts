import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Resource } from "../../kube/resource.ts";
import type { NativeObject } from "../frame/kinds.ts";
import type { Right } from "./judge_install.ts";

/** Every kind of the native API. */
export const KINDS: readonly Resource<NativeObject>[] = [
  repositoryResource,
  clusterRepositoryResource,
  backupConfigResource,
  backupScheduleResource,
  backupResource,
  restoreResource,
  maintenanceResource,
];

const { group } = backupResource;
const QUESTIONS = "ls, cat, download, find, diff, browse";

function native(verb: string, resource: Resource<NativeObject>, commands: string): Right {
  return {
    verb,
    group,
    resource: resource.plural,
    ...(resource.namespaced ? {} : { clusterWide: true }),
    for: commands,
  };
}

/** What the commands need in the namespace that they are about. */
export const RIGHTS: readonly Right[] = [
  ...KINDS.map((kind) => native("list", kind, "status, list")),
  ...KINDS.map((kind) => native("get", kind, "explain, logs and what names an object")),
  native("create", backupResource, "backup now"),
  native("watch", backupResource, "backup now"),
  native("patch", backupResource, "cancel"),
  native("create", restoreResource, "restore"),
  native("watch", restoreResource, "restore"),
  native("patch", restoreResource, "cancel"),
  native("patch", backupScheduleResource, "suspend, resume"),
  native("patch", maintenanceResource, "maintenance run, verify, suspend, resume, cancel"),
  native("watch", maintenanceResource, "maintenance run, verify"),
  { verb: "list", group: "", resource: "events", for: "explain" },
  { verb: "list", group: "", resource: "persistentvolumeclaims", for: "status, doctor" },
  { verb: "get", group: "", resource: "persistentvolumeclaims", for: "restore" },
  { verb: "list", group: "", resource: "pods", for: `restore, logs, ${QUESTIONS}` },
  { verb: "get", group: "", resource: "pods", subresource: "log", for: "logs" },
  // A WebSocket is begun with a GET; newer API servers ask for create all the same.
  { verb: "get", group: "", resource: "pods", subresource: "exec", for: QUESTIONS },
  { verb: "create", group: "", resource: "pods", subresource: "exec", for: QUESTIONS },
  { verb: "create", group: "batch", resource: "jobs", for: QUESTIONS },
  { verb: "patch", group: "batch", resource: "jobs", for: QUESTIONS },
  { verb: "delete", group: "batch", resource: "jobs", for: QUESTIONS },
  { verb: "create", group: "", resource: "configmaps", for: QUESTIONS },
  {
    verb: "get",
    group: "",
    resource: "configmaps",
    for: `${QUESTIONS}, where a repository has its authority in a ConfigMap,`,
  },
  { verb: "create", group: "", resource: "secrets", for: QUESTIONS },
  { verb: "get", group: "", resource: "namespaces", for: QUESTIONS },
];
