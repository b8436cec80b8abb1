import type { ApiView, Listed } from "../../core/view/api_view.ts";
import { isForbidden, isNotServed } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { misuse } from "../frame/problem.ts";

/** Throws a CommandProblem where a claim holds a repository of any API: to write into it destroys every backup there. */
export async function refuseRepository(
  client: Pick<Reader, "list">,
  views: readonly Pick<ApiView, "stores">[],
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<void> {
  const found = await Promise.all(
    views.map(async ({ stores }) => {
      if (!stores) return undefined;
      const lists = stores.resources.map(async (resource) => {
        const place = resource.namespaced ? { namespace } : {};
        const { items } = await client.list(resource, { ...place, signal }).catch((error: unknown) => {
          // The operator may look, and refuses it.
          if (isForbidden(error) || isNotServed(error)) return { items: [] };
          throw error;
        });
        return [resource, items] as const;
      });
      const objects = new Map<Resource, readonly KubeObject[]>(await Promise.all(lists));
      const of: Listed["of"] = <T extends KubeObject>(resource: Resource<T>) =>
        (objects.get(resource) ?? []) as readonly T[];
      return stores.among(of, namespace).get(name);
    }),
  );
  const held = found.find((one) => one !== undefined);
  if (held !== undefined)
    throw misuse(
      `the claim ${namespace}/${name} holds the backups of ${held}`,
      "Restore into another claim.",
    );
}
