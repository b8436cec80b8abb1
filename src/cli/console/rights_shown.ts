import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call } from "../frame/command.ts";
import type { Action, Rights } from "./contract.ts";
import { type AskedRight, mayDo } from "./may_list.ts";

const on = (verb: string, { group, plural }: Resource): AskedRight => ({ verb, group, resource: plural });

/** What each action needs, all of it. */
const NEEDED: Readonly<Record<Action, readonly AskedRight[]>> = {
  backup: [on("create", backupResource)],
  restore: [on("create", restoreResource)],
  delete: [on("delete", backupResource)],
  cancel: [on("patch", backupResource), on("patch", restoreResource)],
  edit: [on("patch", backupScheduleResource)],
  protect: [on("create", backupConfigResource), on("create", backupScheduleResource)],
  files: [
    { verb: "create", group: "batch", resource: "jobs" },
    { verb: "create", group: "", resource: "secrets" },
    { verb: "create", group: "", resource: "configmaps" },
    { verb: "create", group: "", resource: "pods", subresource: "exec" },
  ],
};

/** What the person may do in a namespace; of what they may not, which right is missing. */
export async function rightsShown(call: Call, namespace: string | undefined): Promise<Rights> {
  const { client } = await call.cluster();
  const actions = Object.entries(NEEDED).map(async ([action, rights]) => {
    const answers = await Promise.all(
      rights.map(async (right) => ({ right, may: await mayDo(client, right, namespace, call) })),
    );
    const missing = answers.find(({ may }) => !may)?.right;
    return [
      action,
      missing ? { allowed: false, why: whyNot(missing, namespace) } : { allowed: true },
    ] as const;
  });
  return Object.fromEntries(await Promise.all(actions)) as Rights;
}

function whyNot({ verb, group, resource, subresource }: AskedRight, namespace: string | undefined): string {
  const what = `${resource}${subresource ? `/${subresource}` : ""}${group ? `.${group}` : ""}`;
  return `you may not ${verb} ${what} ${namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`}`;
}
