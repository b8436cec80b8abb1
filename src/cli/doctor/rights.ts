import type { ShownObject } from "../../core/view/shown_object.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Right } from "./judge_install.ts";

const QUESTIONS = "ls, cat, download, find, diff, browse";

function right(verb: string, resource: Resource<ShownObject>, commands: string): Right {
  return {
    verb,
    group: resource.group,
    resource: resource.plural,
    ...(resource.namespaced ? {} : { clusterWide: true }),
    for: commands,
  };
}

/** What the commands need in the namespace that they are about, which show objects of these kinds. */
export function rightsFor(kinds: readonly Resource<ShownObject>[]): readonly Right[] {
  return [
    ...kinds.map((kind) => right("list", kind, "status, coverage, list")),
    ...kinds.map((kind) => right("get", kind, "explain, logs and what names an object")),
    ...FIXED,
  ];
}

const FIXED: readonly Right[] = [
  right("create", backupResource, "backup now"),
  right("watch", backupResource, "backup now"),
  right("patch", backupResource, "cancel"),
  right("create", restoreResource, "restore"),
  right("watch", restoreResource, "restore"),
  right("patch", restoreResource, "cancel"),
  right("patch", backupScheduleResource, "suspend, resume"),
  right("patch", maintenanceResource, "maintenance run, verify, suspend, resume, cancel"),
  right("watch", maintenanceResource, "maintenance run, verify"),
  { verb: "list", group: "", resource: "events", for: "explain" },
  { verb: "list", group: "", resource: "persistentvolumeclaims", for: "status, coverage, doctor" },
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
