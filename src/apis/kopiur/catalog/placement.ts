import { keyOf } from "../../../kube/object.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import type { KopiurCaches } from "../caches.ts";
import { type AnyRepository, isOfCluster } from "../references.ts";
import { listed } from "../rules/permission.ts";
import { type KopiurSettings, operatorNamespaceOf } from "../settings.ts";

/**
 * The namespace in which a snapshot is shown: the Repository's own. For a ClusterRepository the one that its host name
 * is, if it may use the repository, else the fallback. Undefined where none of them is there.
 */
export function placement(
  repository: AnyRepository,
  { namespaces }: Pick<KopiurCaches, "namespaces">,
  settings: KopiurSettings,
): (snapshot: Snapshot) => string | undefined {
  const find = (name: string) => {
    const namespace = namespaces.get(keyOf({ name }));
    return namespace?.metadata.deletionTimestamp ? undefined : namespace;
  };
  if (!isOfCluster(repository)) {
    const { namespace = "" } = repository.metadata;
    return () => (find(namespace) ? namespace : undefined);
  }
  const { allowedNamespaces, catalog } = repository.spec;
  const fallback = catalog.fallbackNamespace ?? operatorNamespaceOf(settings);
  return ({ identity }) => {
    const own = find(identity.hostname);
    const tenant = { namespace: identity.hostname, labels: own?.metadata.labels ?? {} };
    if (own && listed(allowedNamespaces, tenant) === "granted") return identity.hostname;
    return find(fallback) ? fallback : undefined;
  };
}
