import { refOf, type ShownObject } from "../../core/view/shown_object.ts";
import { PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { KubeObject, ObjectName } from "../../kube/object.ts";
import { type Resource, resourceName } from "../../kube/resource.ts";
import { explainFacts } from "../commands/explain.ts";
import { explained } from "../explain/explained.ts";
import type { Call } from "../frame/command.ts";
import { EXIT } from "../frame/exit_codes.ts";
import { CommandProblem } from "../frame/problem.ts";
import type { ConditionRow, ObjectDetail } from "./contract.ts";
import { eventRows } from "./event_rows.ts";

/** An object of an API as it is, and as it is explained. */
export async function objectDetail(call: Call, named: string, where: ObjectName): Promise<ObjectDetail> {
  const views = await call.views();
  const kinds = views.flatMap((view) => view.kinds.map(({ resource }) => ({ resource, view })));
  const known = kinds.find(({ resource }) => resourceName(resource) === named);
  const resource: Resource | undefined =
    known?.resource ?? (named === resourceName(PersistentVolumeClaims) ? PersistentVolumeClaims : undefined);
  if (!resource) throw unknownKind(named);
  const { client } = await call.cluster();
  const name = resource.namespaced ? where : { name: where.name };
  const object = (await client.get(resource, name, call)) as ShownObject;
  const explainedAs = known ? explained(await explainFacts(call, known.view, object)) : [];
  return {
    object: refOf(object),
    yaml: await yamlOf(object),
    explained: explainedAs,
    conditions: conditionRows(object),
    events: await eventRows(call, [object]),
    ...(object.status?.logTail ? { log: object.status.logTail } : {}),
  };
}

function unknownKind(named: string): CommandProblem {
  return new CommandProblem(`the console does not show ${named}`, {
    why: "It shows the objects of backup APIs, and PersistentVolumeClaims.",
    code: EXIT.usage,
  });
}

export function conditionRows({ status }: ShownObject): readonly ConditionRow[] {
  return (status?.conditions ?? []).map(({ type, status: holds, reason, message, lastTransitionTime }) => ({
    type,
    status: holds,
    reason,
    message,
    since: lastTransitionTime,
  }));
}

/** Without what the API server keeps for itself. */
export async function yamlOf(object: KubeObject): Promise<string> {
  const { stringify } = await import("yaml");
  const { managedFields: _, ...metadata } = object.metadata;
  return stringify({ ...object, metadata });
}
