import { expect, test } from "vitest";
import type { Cache } from "../../../kube/cache/cache.ts";
import type { CacheRequest, Informers } from "../../../kube/cache/informers.ts";
import { type KubeObject, keyOf, type ObjectKey } from "../../../kube/object.ts";
import { cachedStores } from "../cached_stores.ts";
import { kopiurCaches } from "../caches.ts";
import { cachedLookup } from "./lookup.ts";
import { clusterRepository, config, maintenance, repository } from "./testing/manifests.ts";
import { storedOf } from "./testing/memory_door.ts";

const OBJECTS = [repository(), clusterRepository(), config(), maintenance()].map(storedOf);

/** Caches of the objects above, that count which kinds were asked for. */
function informersOf({ synced }: { readonly synced: boolean }) {
  const asked: string[] = [];
  const cache = <T extends KubeObject>({ resource, fieldSelector = "", indexes = {} }: CacheRequest<T>) => {
    asked.push(`${resource.kind} ${fieldSelector}`.trim());
    const mine = OBJECTS.filter(({ kind }) => kind === resource.kind) as unknown as readonly T[];
    return {
      synced,
      get: (key: string) => (synced ? mine.find((object) => keyOf(object) === key) : undefined),
      values: () => mine.values(),
      indexed: (index: string, value: string) =>
        mine.filter((object) => indexes[index]?.(object).includes(value)),
    } as unknown as Cache<T>;
  };
  return { asked, informers: { cache } as Pick<Informers, "cache"> };
}

const lookupOf = (informers: Pick<Informers, "cache">, namespace?: string) =>
  cachedLookup(
    kopiurCaches(informers, namespace),
    cachedStores(kopiurCaches(informers, namespace), "holdfast"),
    namespace,
  );

const nas = { namespace: "tenant-a", name: "nas" };

test("what is cached is found, by name and by repository", () => {
  const lookup = lookupOf(informersOf({ synced: true }).informers);
  expect(lookup.repository(nas)).toMatchObject({ kind: "Repository" });
  expect(lookup.repository({ ...nas, name: "other" })).toBe("absent");
  expect(lookup.clusterRepository("commons")).toMatchObject({ kind: "ClusterRepository" });
  expect(lookup.namespace("tenant-a")).toBe("absent");
  expect(lookup.configsOf("tenant-a/nas" as ObjectKey)).toHaveLength(1);
  expect(lookup.configsOf("tenant-b/nas" as ObjectKey)).toHaveLength(0);
  expect(lookup.maintenancesOf("tenant-a/nas" as ObjectKey)).toHaveLength(1);
  expect(lookup.repositoryOn({ namespace: "tenant-a", name: "store" })).toBe("Repository tenant-a/nas");
  expect(lookup.repositoryOn({ namespace: "tenant-b", name: "store" })).toBeUndefined();
  expect(lookup.repositoryOn({ namespace: "tenant-a", name: "data" })).toBeUndefined();
});

test("a cache that has not been filled knows of nothing that it is absent", () => {
  const lookup = lookupOf(informersOf({ synced: false }).informers);
  expect(lookup.repository(nas)).toBe("unknown");
  expect(lookup.claim({ ...nas, name: "data" })).toBe("unknown");
});

test("an operator of one namespace knows nothing of others, nor of what has none", () => {
  const { asked, informers } = informersOf({ synced: true });
  const lookup = lookupOf(informers, "tenant-a");
  expect(lookup.repository(nas)).toMatchObject({ kind: "Repository" });
  expect(lookup.repository({ ...nas, namespace: "tenant-b" })).toBe("unknown");
  expect(lookup.clusterRepository("commons")).toBe("unknown");
  expect(lookup.namespace("tenant-a")).toBe("absent");
  expect(lookup.namespace("tenant-b")).toBe("unknown");
  expect(asked).not.toContain("ClusterRepository");
  expect(asked).not.toContain("Namespace");
  expect(asked).toContain("Namespace metadata.name=tenant-a");
});
