import type { ApiView, Listed } from "../../core/view/api_view.ts";
import { type ViewOptions, viewOf } from "../../core/view/joined.ts";
import type { View, ViewPart } from "../../core/view/view.ts";
import { isForbidden, isNotFound, isNotServed } from "../../kube/api_error.ts";
import { Namespaces, PersistentVolumeClaims } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Call } from "./command.ts";
import { listed, scopeOf } from "./scope.ts";

/** What all APIs say within the scope of a command. */
export async function viewed(call: Call): Promise<View> {
  return viewOf(await looked(call));
}

/**
 * What there is within the scope of a command, and what each API says of it. Those that the cluster does not have say
 * nothing; of those that may not be looked at, that is told.
 */
export async function looked(call: Call): Promise<ViewOptions> {
  const [claims, namespaces, apis] = await Promise.all([
    listed(call, PersistentVolumeClaims),
    namespacesOf(call),
    Promise.all((await call.views()).map((view) => seenOf(call, view))),
  ]);
  const [first] = apis;
  if (first?.error && apis.every(({ error }) => error)) throw first.error;
  const now = call.clock.now();
  const within = scopeOf(call, await call.cluster());
  const parts = apis.map(async ({ view, objects, error }) => {
    const { api } = view;
    if (objects)
      return [{ api, part: view.read(await withElsewhere(call, view, { ...objects, claims, within }), now) }];
    return isForbidden(error) ? [{ api, part: unseen(api) }] : [];
  });
  return { claims, namespaces, parts: (await Promise.all(parts)).flat() };
}

async function seenOf(
  call: Call,
  view: ApiView,
): Promise<{ readonly view: ApiView; readonly objects?: Pick<Listed, "of">; readonly error?: unknown }> {
  try {
    return { view, objects: await objectsOf(call, view) };
  } catch (error) {
    if (isNotServed(error) || isForbidden(error)) return { view, error };
    throw error;
  }
}

function unseen(api: string): ViewPart {
  const nothing = () => [];
  return {
    unnamed: `you may not look at the objects of ${api}`,
    hidden: true,
    stores: new Set(),
    protections: nothing,
    snapshots: nothing,
    repositories: nothing,
    schedules: nothing,
    activity: nothing,
    problems: nothing,
  };
}

/** As far as they may be looked at: an exemption that cannot be seen is none. */
async function namespacesOf(call: Call): Promise<readonly KubeObject[]> {
  const { client, namespace } = await call.cluster();
  const scope = scopeOf(call, { namespace });
  const { signal } = call;
  try {
    if (scope === undefined) return (await client.metadata.list(Namespaces, { signal })).items;
    return [await client.metadata.get(Namespaces, { name: scope }, { signal })];
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return [];
    throw error;
  }
}

async function objectsOf(call: Call, { kinds }: ApiView): Promise<Pick<Listed, "of">> {
  const lists = kinds.map(async ({ resource }): Promise<readonly [Resource, readonly KubeObject[]]> => {
    const objects = await listed(call, resource).catch((error: unknown) => {
      // Whoever may see one namespace alone sees nothing that is in none, and the screen is still worth having.
      if (!resource.namespaced && (isForbidden(error) || isNotServed(error))) return [];
      throw error;
    });
    return [resource, objects];
  });
  return from(new Map(await Promise.all(lists)));
}

function from(objects: ReadonlyMap<Resource, readonly KubeObject[]>): Pick<Listed, "of"> {
  return {
    of: <T extends KubeObject>(resource: Resource<T>) => (objects.get(resource) ?? []) as readonly T[],
  };
}

/** Adds what a view needs of other namespaces than the one that is looked at. */
async function withElsewhere(call: Call, view: ApiView, here: Listed): Promise<Listed> {
  const { client, namespace: usual } = await call.cluster();
  const scope = scopeOf(call, { namespace: usual });
  if (scope === undefined) return here;
  const hidden = new Set<string>();
  const wanted = (view.elsewhere?.(here) ?? []).filter(({ namespace }) => namespace !== scope);
  const more = new Map<Resource, KubeObject[]>();
  await Promise.all(
    wanted.map(async ({ resource, namespace }) => {
      const options = { namespace, signal: call.signal, omitManagedFields: true };
      const list = await client.list(resource, options).catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
        hidden.add(namespace);
        return undefined;
      });
      more.set(resource, [...(more.get(resource) ?? []), ...(list?.items ?? [])]);
    }),
  );
  const of: Listed["of"] = (resource) => [...here.of(resource), ...from(more).of(resource)];
  return { ...here, of, hidden };
}
