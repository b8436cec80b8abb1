import { Namespaces } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import type { Condition } from "../../../kube/write/conditions.ts";
import type { Snapshot } from "../../../wire/snapshot.ts";
import type { Ready } from "../../repository/repository.ts";
import { secretsNamespace, sessionRequestOn } from "../../repository/session_request.ts";
import {
  BACKUPS,
  backup,
  clusterRepository,
  GROUP,
  REPOSITORIES,
  readyNas,
  type Sample,
  SETTINGS,
} from "../../testing/samples.ts";
import type { SnapshotHolder } from "../absence.ts";
import type { CatalogRepository, CatalogSpec } from "../catalog_repository.ts";
import type { Catalog } from "../refresh_catalog.ts";
import type { RememberedSnapshot } from "../snapshot_owner_index.ts";

/* Repositories whose lists are read. */

const CATALOG: CatalogSpec = {
  enabled: true,
  retain: { perIdentity: 100, maxAgeDays: 90 },
  refreshInterval: "5m",
};

export function catalogNas(sample: Sample<CatalogRepository["spec"], object> = {}): Ready<CatalogRepository> {
  const nas = readyNas(sample);
  return { ...nas, spec: { catalog: CATALOG, ...nas.spec } } as Ready<CatalogRepository>;
}

/** Of the whole cluster, for namespaces billing and shop. */
export function catalogShared({
  catalog,
  ...spec
}: Partial<Omit<CatalogRepository["spec"], "catalog">> & { readonly catalog?: Partial<CatalogSpec> } = {}) {
  const shared = clusterRepository({ spec });
  return { ...shared, spec: { ...shared.spec, catalog: { ...CATALOG, ...catalog } } };
}

/** An object that stands for snapshots, with a mark on those that were found. */
export interface Standing extends SnapshotHolder {
  readonly spec: object;
  readonly status?: {
    readonly phase?: string;
    readonly snapshots?: readonly RememberedSnapshot[];
    readonly conditions?: readonly Condition[];
  };
}

export const STANDING: Resource<Standing> = BACKUPS as Resource<Standing>;
const FOUND = `${GROUP}/found`;
export const isFound = ({ metadata }: KubeObject) => metadata.labels?.[FOUND] !== undefined;

/** The one of a run that made this snapshot. */
export function maker({ id, identity, run, root }: Snapshot, name = "first"): Standing {
  return backup({
    metadata: { name, uid: `uid-${name}` },
    status: { phase: "Succeeded", snapshots: [{ id, identity, run, root }] },
  });
}

/** The run that an object makes snapshots with, while it goes on. */
export const runOf = ({ metadata }: KubeObject) => `run-of-${metadata.name}`;

/** How that API shows what is in its repositories. */
export function catalogOf(
  cache: <T extends KubeObject>(resource: Resource<T>) => Cache<T>,
): Catalog<Standing> {
  const standing = cache(STANDING);
  const repositories = cache(REPOSITORIES) as Cache<CatalogRepository>;
  const namespaces = cache<KubeObject>(Namespaces);
  const settings = SETTINGS;
  return {
    name: "catalog",
    caches: [repositories],
    find: (key) => repositories.get(key),
    resourceOf: () => repositories.resource,
    namespaceOf: (name) => namespaces.get(keyOf({ name })),
    session: async (repository) => {
      const namespace = secretsNamespace(repository);
      return sessionRequestOn({ repository, namespace, settings, consent: false }, REPOSITORIES);
    },
    objects: {
      resource: STANDING,
      of: () => [...standing.values()],
      isDiscovered: isFound,
      snapshotsOf: ({ status }) => status?.snapshots ?? [],
      runsOf: (object) => (object.status?.phase === "Running" ? [runOf(object)] : []),
      discoveredSpec: { found: true },
      discoveredLabels: (_, { id }) => ({ [FOUND]: id }),
      discoveredStatus: (_, { id, identity, run, root }, present) => ({
        phase: "Found",
        snapshots: [{ id, identity, ...(run ? { run } : {}), root }],
        conditions: (present?.status?.conditions ?? []).filter(({ type }) => type !== "SnapshotMissing"),
      }),
    },
  };
}
