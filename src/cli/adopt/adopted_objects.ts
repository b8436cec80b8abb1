import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call } from "../frame/command.ts";
import { listed } from "../frame/scope.ts";
import { ADOPTED } from "./adoption_plan.ts";

/** The objects of every kind that labels become, within the scope of a command. VolSync's kinds need not be there. */
export async function adoptedObjects(call: Call): Promise<ReadonlyMap<Resource, readonly KubeObject[]>> {
  const lists = ADOPTED.map(
    async ({ resource }) => [resource, await listedWhereServed(call, resource)] as const,
  );
  return new Map(await Promise.all(lists));
}

export async function listedWhereServed(call: Call, resource: Resource): Promise<readonly KubeObject[]> {
  const { client } = await call.cluster();
  return (await client.serves(resource, { signal: call.signal })) ? listed(call, resource) : [];
}
