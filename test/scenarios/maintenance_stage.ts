import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import {
  type Maintenance,
  type MaintenanceSpec,
  maintenanceResource,
} from "../../src/kinds/kopiur/generated/maintenance.ts";
import type { Draft, KubeObject, Partially } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { Condition } from "../../src/kube/write/conditions.ts";
import type { Stage } from "./stage.ts";

/** A Maintenance of the stage's repository. */
export async function maintenanceOf(
  stage: Stage,
  name: string,
  spec: Partially<MaintenanceSpec> = {},
): Promise<void> {
  const { namespace } = stage;
  const draft = { metadata: { namespace, name }, spec: { repository: { name: "repository" }, ...spec } };
  await stage.world.client.create(maintenanceResource, draft as unknown as Draft<Maintenance>);
}

function found<T extends KubeObject>(stage: Stage, resource: Resource<T>, name: string): Promise<T> {
  return stage.world.client.get(resource, { namespace: stage.namespace, name });
}

export async function annotate(
  stage: Stage,
  name: string,
  annotations: Record<string, string>,
): Promise<void> {
  const key = { namespace: stage.namespace, name };
  const patch = { metadata: { annotations } };
  await stage.world.client.patch(maintenanceResource, key, { type: "merge", patch });
}

/** Asks for a run, and waits until it and what follows it are over. */
export async function maintained(stage: Stage, name: string, request: string): Promise<Maintenance> {
  await stage.eventually(`Maintenance ${name} is there`, async () => {
    const value = await found(stage, maintenanceResource, name).catch(() => undefined);
    return { done: value !== undefined, value };
  });
  await annotate(stage, name, { [ANNOTATIONS.runRequested]: request });
  return stage.eventually(`Maintenance ${name} has run`, async () => {
    const value = await found(stage, maintenanceResource, name);
    const { handledRunRequest, phase } = value.status ?? {};
    if (phase === "Failed") throw new Error(`${name} has failed: ${JSON.stringify(value.status, null, 2)}`);
    return { done: handledRunRequest === request && phase === "Ready", value };
  });
}

type Conditioned = KubeObject & {
  readonly status?: { readonly conditions?: readonly Condition[] };
};

/** The object, once its condition has this reason, or this status. */
export async function untilCondition<T extends Conditioned>(
  stage: Stage,
  resource: Resource<T>,
  name: string,
  type: string,
  reason?: string,
  status?: string,
): Promise<T> {
  return stage.eventually(`${type} of ${name} is ${reason ?? status}`, async () => {
    const value = await found(stage, resource, name);
    const said = value.status?.conditions?.find((one) => one.type === type);
    const done = said?.reason === (reason ?? said?.reason) && said?.status === (status ?? said?.status);
    return { done: said !== undefined && done, value };
  });
}
