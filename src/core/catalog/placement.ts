import type { KubeObject } from "../../kube/object.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { listed } from "../consent/permission.ts";
import { operatorNamespaceOf, type Settings } from "../work/settings.ts";
import type { CatalogRepository } from "./catalog_repository.ts";

/**
 * The namespace in which a snapshot is shown: the repository's own. For one of the whole cluster that which its host
 * name is, if it may use the repository, else the fallback. Undefined where none of them is there.
 */
export function placement(
  { metadata, spec }: CatalogRepository,
  namespaceOf: (name: string) => KubeObject | undefined,
  settings: Settings,
): (snapshot: Snapshot) => string | undefined {
  const find = (name: string) => {
    const namespace = namespaceOf(name);
    return namespace?.metadata.deletionTimestamp ? undefined : namespace;
  };
  const { namespace: home } = metadata;
  if (home !== undefined) return () => (find(home) ? home : undefined);
  const fallback = spec.catalog.fallbackNamespace ?? operatorNamespaceOf(settings);
  return ({ identity }) => {
    const own = find(identity.hostname);
    const tenant = { namespace: identity.hostname, labels: own?.metadata.labels ?? {} };
    if (own && listed(spec.allowedNamespaces, tenant) === "granted") return identity.hostname;
    return find(fallback) ? fallback : undefined;
  };
}
