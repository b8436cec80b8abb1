import { secretsNamespace } from "../../core/repository/session_request.ts";
import { backupResource } from "../../kinds/kopiur/generated/backup.ts";
import { backupScheduleResource } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { maintenanceResource } from "../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../kinds/kopiur/generated/restore.ts";
import { isForbidden, isNotFound } from "../../kube/api_error.ts";
import { Jobs, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { Resource } from "../../kube/resource.ts";
import type { AnyRepository, Call } from "../frame/command.ts";
import { referenceOf } from "../frame/kinds.ts";
import { CommandProblem } from "../frame/problem.ts";
import { repositoryOf } from "../session/with_snapshot.ts";
import type { Action, Rights } from "./contract.ts";
import { type AskedRight, mayDo } from "./may_list.ts";

/** Where an action happens, if not where the object is that it is done to. */
type Place = "session" | "maintenance";

interface Needed {
  readonly rights: readonly AskedRight[];
  /** Default: in the namespace that is asked about. */
  readonly at?: Place | "cluster";
}

const on = (verb: string, { group, plural }: Resource): AskedRight => ({ verb, group, resource: plural });

/** What each action needs, all of it: what the command writes that the button runs. */
const NEEDED: Readonly<Record<Action, Needed>> = {
  backup: { rights: [on("create", backupResource)] },
  restore: { rights: [on("create", restoreResource)] },
  // It takes away what it has made.
  drill: {
    rights: [
      on("create", restoreResource),
      on("delete", restoreResource),
      on("delete", PersistentVolumeClaims),
    ],
  },
  hold: { rights: [on("patch", backupResource)] },
  suspend: { rights: [on("patch", backupScheduleResource)] },
  maintain: { rights: [on("patch", maintenanceResource)], at: "maintenance" },
  "cancel Backup": { rights: [on("patch", backupResource)] },
  "cancel Restore": { rights: [on("patch", restoreResource)] },
  "cancel Maintenance": { rights: [on("patch", maintenanceResource)] },
  "retry Backup": { rights: [on("patch", backupResource)] },
  "retry Restore": { rights: [on("patch", restoreResource)] },
  "retry Maintenance": { rights: [on("patch", maintenanceResource)] },
  "retry Repository": { rights: [on("patch", repositoryResource)] },
  "retry ClusterRepository": { rights: [on("patch", clusterRepositoryResource)], at: "cluster" },
  "delete Backup": { rights: [on("delete", backupResource)] },
  "delete Restore": { rights: [on("delete", restoreResource)] },
  files: {
    rights: [
      ...["create", "patch", "delete"].map((verb) => on(verb, Jobs)),
      { verb: "create", group: "", resource: "secrets" },
      { verb: "create", group: "", resource: "configmaps" },
      { verb: "list", group: "", resource: "pods" },
      { verb: "get", group: "", resource: "pods", subresource: "exec" },
      { verb: "create", group: "", resource: "pods", subresource: "exec" },
    ],
    at: "session",
  },
};

/**
 * What the person may do in a namespace; of what they may not, which right is missing. `of`: the Backup or repository that
 * it is done to, which tells where its session and its Maintenance are. What is not known is not denied: the command tells.
 */
export async function rightsShown(
  call: Call,
  namespace: string | undefined,
  of: string | undefined,
): Promise<Rights> {
  const { client } = await call.cluster();
  const places = of === undefined ? {} : await placesOf(call, of);
  const asked = new Map<string, Promise<boolean>>();
  const may = (right: AskedRight, where: string | undefined) => {
    const key = JSON.stringify([right, where]);
    const answer = asked.get(key) ?? mayDo(client, right, where, call);
    asked.set(key, answer);
    return answer;
  };
  const actions = Object.entries(NEEDED).map(async ([action, { rights, at }]) => {
    if ((at === "session" || at === "maintenance") && places[at] === undefined)
      return [action, { allowed: true }] as const;
    const where = at === "cluster" ? undefined : at === undefined ? namespace : places[at];
    const answers = await Promise.all(rights.map(async (right) => ({ right, may: await may(right, where) })));
    const missing = answers.find((answer) => !answer.may)?.right;
    return [action, missing ? { allowed: false, why: whyNot(missing, where) } : { allowed: true }] as const;
  });
  return Object.fromEntries(await Promise.all(actions)) as Rights;
}

/** What a person has to be allowed, and is not. */
export function whyNot(
  { verb, group, resource, subresource }: AskedRight,
  namespace: string | undefined,
): string {
  const what = `${resource}${subresource ? `/${subresource}` : ""}${group ? `.${group}` : ""}`;
  return `you may not ${verb} ${what} ${namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`}`;
}

async function placesOf(call: Call, of: string): Promise<Partial<Record<Place, string>>> {
  try {
    const repository = await namedRepository(call, of);
    const maintenance = repository.status?.maintenanceRef?.namespace;
    const session = secretsNamespace(repository);
    return { ...(session ? { session } : {}), ...(maintenance ? { maintenance } : {}) };
  } catch (error) {
    if (isForbidden(error) || isNotFound(error) || error instanceof CommandProblem) return {};
    throw error;
  }
}

async function namedRepository(call: Call, of: string): Promise<AnyRepository> {
  const kinds = ["backup", "repository", "clusterrepository"];
  const { resource, name } = referenceOf(of, { kinds, usual: "backup" });
  const { client, namespace: usual } = await call.cluster();
  const where = { namespace: call.given.text("namespace") ?? usual, name };
  if (resource.kind === backupResource.kind)
    return await repositoryOf(call, [await client.get(backupResource, where, call)]);
  return resource.kind === clusterRepositoryResource.kind
    ? await client.get(clusterRepositoryResource, { name }, call)
    : await client.get(repositoryResource, where, call);
}
