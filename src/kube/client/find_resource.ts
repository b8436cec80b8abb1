import { isNotFound, isNotServed } from "../api_error.ts";
import type { CallOptions, Reader } from "../client.ts";
import type { KubeObject, ObjectName } from "../object.ts";
import type { Resource } from "../resource.ts";

interface Group extends KubeObject {
  readonly preferredVersion?: { readonly version: string };
}

interface ResourceList extends KubeObject {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
}

/** Discovery is at the paths of what has neither name nor plural. */
const NOWHERE = {} as ObjectName;

/** How a kind is addressed of which only group and name are known, by the group's preferred version. */
export async function findResource(
  reader: Pick<Reader, "get">,
  { group, kind }: Pick<Resource, "group" | "kind">,
  call: CallOptions = {},
): Promise<Resource | undefined> {
  const at = (version: string) => ({ group, version, kind, plural: "", namespaced: false });
  try {
    const found = await reader.get(at("") as Resource<Group>, NOWHERE, call);
    const version = found.preferredVersion?.version;
    if (version === undefined) return undefined;
    const list = await reader.get(at(version) as Resource<ResourceList>, NOWHERE, call);
    const match = list.resources?.find((one) => one.kind === kind && !one.name.includes("/"));
    return match && { group, version, kind, plural: match.name, namespaced: match.namespaced };
  } catch (error) {
    // Of a group that it does not know the API server says that there is no such path.
    if (isNotFound(error) || isNotServed(error)) return undefined;
    throw error;
  }
}
