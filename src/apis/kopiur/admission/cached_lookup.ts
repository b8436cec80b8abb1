import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { clusterRepositoryResource } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { type Maintenance, maintenanceResource } from "../../../kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { Informers } from "../../../kube/cache/informers.ts";
import { type KubeObject, keyOf, type ObjectName } from "../../../kube/object.ts";
import { repositoryPlace } from "../rules/repository_place.ts";
import type { Found, Lookup } from "./lookup.ts";

/** By the place of the repository that an object names. */
const BY_PLACE = "repository-place";

const placeOf = ({ metadata, spec }: BackupConfig | Maintenance) => [
  repositoryPlace(spec.repository, metadata.namespace ?? ""),
];
const INDEXES = { [BY_PLACE]: placeOf };

/** Looks into caches alone, which it shares with the controllers. `namespace`: nothing else is watched; default all. */
export function cachedLookup(informers: Pick<Informers, "cache">, namespace?: string): Lookup {
  const scope = namespace === undefined ? {} : { namespace };
  const repositories = informers.cache({ resource: repositoryResource, ...scope });
  const shared =
    namespace === undefined ? informers.cache({ resource: clusterRepositoryResource }) : undefined;
  const configs = informers.cache({ resource: backupConfigResource, ...scope, indexes: INDEXES });
  const backups = informers.cache({ resource: backupResource, ...scope });
  const maintenances = informers.cache({ resource: maintenanceResource, ...scope, indexes: INDEXES });
  const claims = informers.cache({ resource: PersistentVolumeClaims, ...scope, metadataOnly: true });
  const namespaces = informers.cache<KubeObject>({ resource: Namespaces, metadataOnly: true });
  const inside = <T extends KubeObject>(cache: Cache<T>, name: ObjectName): Found<T> =>
    namespace !== undefined && name.namespace !== namespace ? "unknown" : find(cache, name);
  return {
    repository: (name) => inside(repositories, name),
    clusterRepository: (name) => (shared ? find(shared, { name }) : "unknown"),
    config: (name) => inside(configs, name),
    backup: (name) => inside(backups, name),
    claim: (name) => inside<KubeObject>(claims, name),
    namespace: (name) => find(namespaces, { name }),
    configsOf: (place) => configs.indexed(BY_PLACE, place),
    maintenancesOf: (place) => maintenances.indexed(BY_PLACE, place),
  };
}

function find<T extends KubeObject>(cache: Cache<T>, { namespace, name }: ObjectName): Found<T> {
  return cache.get(keyOf({ namespace, name })) ?? (cache.synced ? "absent" : "unknown");
}
