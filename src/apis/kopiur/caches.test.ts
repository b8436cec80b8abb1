import { expect, test } from "vitest";
import type { CacheRequest, Informers } from "../../kube/cache/informers.ts";
import type { KubeObject } from "../../kube/object.ts";
import { BY_CONFIG, BY_RECIPE, BY_SNAPSHOT, kopiurCaches } from "./caches.ts";
import { backup } from "./testing/samples.ts";

/** What an object is found by in its cache. */
function indexed(object: KubeObject, index: string): readonly string[] {
  const found: string[] = [];
  const cache = ({ resource, indexes = {} }: CacheRequest<KubeObject>) => {
    if (resource.kind === object.kind) found.push(...(indexes[index]?.(object) ?? []));
  };
  kopiurCaches({ cache } as unknown as Pick<Informers, "cache">);
  return found;
}

test("a Backup is found by the recipe that it names, wherever that is", () => {
  const elsewhere = backup({ spec: { configRef: { name: "data", namespace: "shop" } } });
  expect(indexed(backup(), BY_CONFIG)).toEqual(["billing/data"]);
  expect(indexed(elsewhere, BY_CONFIG)).toEqual(["shop/data"]);
});

test("a Backup counts for no recipe that another one runs for it, nor for one of the same name", () => {
  const elsewhere = backup({ spec: { configRef: { name: "data", namespace: "shop" } } });
  expect(indexed(backup(), BY_RECIPE)).toEqual(["billing/data"]);
  expect(indexed(elsewhere, BY_RECIPE)).toEqual([]);
});

test("a Backup is found by the snapshots that it stands for, whose IDs may change, and by the runs that made them", () => {
  const identity = { username: "data", hostname: "billing", sourcePath: "/pvc/data" };
  const snapshots = [
    { kopiaSnapshotID: "k1", runID: "run-1", identity },
    { kopiaSnapshotID: "k2", identity },
  ];
  expect(indexed(backup({ status: { snapshots } }), BY_SNAPSHOT)).toEqual(["k1", "run-1", "k2"]);
});
