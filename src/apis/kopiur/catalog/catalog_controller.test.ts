import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CatalogWorld } from "../../../core/testing/catalog_world.ts";
import { snapshot } from "../../../core/testing/samples.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { clusterRepositoryResource } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { keyOf } from "../../../kube/object.ts";
import { type KopiurCaches, kopiurCaches } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import type { AnyRepository } from "../references.ts";
import { clusterRepository, readyNas } from "../testing/samples.ts";
import { catalogController } from "./catalog_controller.ts";

const MINUTE = 60_000;
const key = keyOf(readyNas());

let world: CatalogWorld;
let caches: KopiurCaches;
let stop: AbortController;
let look: (which?: typeof key) => Promise<void>;

beforeEach(() => {
  world = new CatalogWorld();
  stop = new AbortController();
  for (const name of ["billing", "platform"]) world.namespace(name);
  caches = kopiurCaches({ cache: (request) => world.cache(request) });
  world.snapshots = [snapshot()];
  const controller = catalogController({ ...world.room, caches } as KopiurPorts);
  void controller.run(stop.signal, () => {});
  look = async (which = key) => {
    controller.enqueue(which);
    for (let turn = 0; turn < 50; turn++) await world.clock.advance(0);
  };
});
afterEach(() => stop.abort(new Error("the test is over")));

const put = (object: AnyRepository) =>
  world.put(object.kind === "Repository" ? repositoryResource : clusterRepositoryResource, object);
const stored = () => caches.repositories.get(key);

describe("the catalogue's controller", () => {
  test("reads the list when it is due, says so, and not again before it is due again", async () => {
    put(readyNas());
    await look();
    expect(world.all(backupResource)).toHaveLength(1);
    expect(stored()?.status).toMatchObject({
      phase: "Ready",
      catalog: { discoveredBackupCount: 1, lastRefreshAt: "2026-05-24T02:13:00Z" },
    });
    await look();
    expect(world.asked).toBe(1);
    await world.clock.advance(5 * MINUTE);
    await look();
    expect(world.asked).toBe(2);
  });

  test("reads it at once when somebody asks", async () => {
    put(readyNas());
    await look();
    const nas = stored();
    if (!nas) throw new Error("there is no repository");
    const annotations = { [ANNOTATIONS.refreshCatalog]: "please" };
    put({ ...nas, metadata: { ...nas.metadata, annotations } });
    await look();
    await look();
    expect(world.asked).toBe(2);
    expect(stored()?.status?.catalog?.handledRefreshRequest).toBe("please");
  });

  test("does not read it twice because the cache is behind", async () => {
    put(readyNas());
    world.freeze();
    await look();
    await look();
    expect(world.asked).toBe(1);
  });

  test("leaves a repository alone that is not ready", async () => {
    put(readyNas({ status: { phase: "Degraded" } }));
    await look();
    expect(world.asked).toBe(0);
  });

  test("says why the list cannot be read, tells it once, and tries again later", async () => {
    put(readyNas());
    world.listingFault = "unreachable";
    await look();
    await look();
    expect(world.asked).toBe(1);
    expect(stored()?.status).toMatchObject({
      phase: "Ready",
      catalog: { failures: 1, nextRefreshAt: "2026-05-24T02:13:30Z" },
    });
    expect(world.told).toEqual(["Unreachable"]);
    await world.clock.advance(MINUTE / 2);
    await look();
    expect(stored()?.status?.catalog?.failures).toBe(2);
    expect(world.told).toEqual(["Unreachable"]);
    world.listingFault = undefined;
    await world.clock.advance(MINUTE);
    await look();
    expect(stored()?.status?.catalog).toMatchObject({ discoveredBackupCount: 1 });
    expect(stored()?.status?.catalog?.failures).toBeUndefined();
  });

  test("says so when what was found could not be written down", async () => {
    put(readyNas());
    world.plan({ write: 1, carriedOut: false });
    await look();
    expect(stored()?.status?.catalog?.failures).toBe(1);
    await world.clock.advance(MINUTE);
    await look();
    expect(world.all(backupResource)).toHaveLength(1);
  });

  test("takes everything away that was shown when nobody wants to see it", async () => {
    put(readyNas());
    await look();
    const nas = stored();
    if (!nas) throw new Error("there is no repository");
    put({ ...nas, spec: { ...nas.spec, catalog: { ...nas.spec.catalog, enabled: false } } });
    await look();
    expect(world.all(backupResource)).toEqual([]);
    expect(stored()?.status?.catalog).toBeUndefined();
    const written = world.writes.length;
    await look();
    expect(world.writes.length).toBe(written);
  });

  test("shows what a ClusterRepository holds in the namespaces that it is for", async () => {
    put(clusterRepository({ status: { phase: "Ready", uniqueID: "id-1" } }));
    world.snapshots = [
      snapshot(),
      snapshot({ id: "k2", identity: { ...snapshot().identity, hostname: "laptop" } }),
    ];
    await look(keyOf(clusterRepository()));
    expect(
      world
        .all(backupResource)
        .map(({ metadata, status }) => [metadata.namespace, status?.resolved?.repository]),
    ).toEqual([
      ["billing", { kind: "ClusterRepository", name: "shared", uid: "uid-shared", uniqueID: "id-1" }],
    ]);
    const { status } = caches.clusterRepositories?.get(keyOf(clusterRepository())) ?? {};
    expect(status?.catalog).toMatchObject({ discoveredBackupCount: 1, hiddenSnapshotCount: 1 });
  });
});
