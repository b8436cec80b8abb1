import { expect, test } from "vitest";
import { storesOf } from "../core/api.ts";
import { resticRepositoryResource } from "../kinds/autorestore/generated/restic_repository.ts";
import { backupConfigResource } from "../kinds/kopiur/generated/backup_config.ts";
import { clusterRepositoryResource } from "../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../kinds/kopiur/generated/repository.ts";
import type { Cache } from "../kube/cache/cache.ts";
import type { CacheRequest, Informers } from "../kube/cache/informers.ts";
import { type KubeObject, keyOf } from "../kube/object.ts";
import { APIS } from "./apis.ts";

const onVolume = (kind: string, name: string, claim: string, namespace?: string) => ({
  kind,
  metadata: { namespace, name },
  spec: { backend: { filesystem: { pvc: { name: claim } } }, volume: { claimName: claim } },
});
const OBJECTS = new Map<unknown, readonly unknown[]>([
  [repositoryResource, [onVolume("Repository", "nas", "store", "home")]],
  [clusterRepositoryResource, [onVolume("ClusterRepository", "commons", "shelf")]],
  [resticRepositoryResource, [onVolume("ResticRepository", "box", "boxed", "home")]],
  [
    backupConfigResource,
    [
      {
        metadata: { namespace: "media", name: "data" },
        spec: { sources: [], repository: { kind: "ClusterRepository", name: "commons" } },
      },
    ],
  ],
]);

function cache<T extends KubeObject>({ resource, indexes = {} }: CacheRequest<T>): Cache<T> {
  const all = (OBJECTS.get(resource) ?? []) as readonly T[];
  return {
    get: (key: string) => all.find((one) => keyOf(one) === key),
    values: () => all.values(),
    indexed: (index: string, value: string) => all.filter((one) => indexes[index]?.(one).includes(value)),
  } as unknown as Cache<T>;
}

const informers = { for: () => ({ cache }) } as unknown as Pick<Informers, "for">;
const storesIn = storesOf(APIS, { informers, operatorNamespace: "platform" });

test.each([
  ["home", { store: "Repository home/nas", boxed: "ResticRepository home/box" }],
  ["media", { shelf: "ClusterRepository commons" }],
  ["platform", { shelf: "ClusterRepository commons" }],
  ["other", {}],
])("the PVCs of %s that hold a repository of any API", (namespace, stores) => {
  expect(Object.fromEntries(storesIn(namespace))).toEqual(stores);
});
