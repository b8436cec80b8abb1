import { expect, test } from "vitest";
import type { Snapshot } from "../../wire/snapshot.ts";
import { CatalogWorld } from "../testing/catalog_world.ts";
import { NOW, snapshot } from "../testing/samples.ts";
import { refreshedStatus } from "./catalog_status.ts";
import { refreshCatalog } from "./refresh_catalog.ts";
import { catalogNas, catalogOf, STANDING } from "./testing/samples.ts";

/* A repository of more snapshots than a cluster should hold objects, read page by page as a session gives them. */

const { signal } = new AbortController();
const IDENTITIES = 500;
const OF_EACH = 100;
const ALL = IDENTITIES * OF_EACH;
const SHOWN = 10_000;
const HOUR = 3_600_000;
const nas = catalogNas();

const longest = (n: number) => ({
  username: `u${n}`.padEnd(253, "u"),
  hostname: "h".repeat(253),
  path: "/p".repeat(512),
});

/** The n-th newest of the identity. Some have the longest names that an object can describe. */
function one(identity: number, n: number): Snapshot {
  const { run: _, ...rest } = snapshot();
  const mark = `${identity}-${n}`;
  return {
    ...rest,
    id: `id-${mark}`,
    root: `root-${mark}`,
    startedAt: new Date(NOW - n * HOUR - identity).toISOString(),
    identity:
      identity < 20 ? longest(identity) : { username: `u${identity}`, hostname: "billing", path: "/pvc" },
  };
}

test("of 50,000 snapshots all are counted, 10,000 are shown, and the status stays small", {
  timeout: 600_000,
}, async () => {
  const world = new CatalogWorld();
  world.pageSize = 1000;
  world.namespace("billing");
  const catalog = catalogOf((resource) => world.cache({ resource }));
  world.snapshots = Array.from({ length: ALL }, (_, i) => one(i % IDENTITIES, Math.floor(i / IDENTITIES)));

  const first = await refreshCatalog(world.room, catalog, nas, signal);
  expect(world.all(STANDING)).toHaveLength(SHOWN);
  const status = refreshedStatus(nas, { asked: nas, ...first }, world.clock.now());
  expect(status.catalog).toMatchObject({
    snapshotCount: ALL,
    identityCount: IDENTITIES,
    discoveredBackupCount: SHOWN,
    hiddenSnapshotCount: ALL - SHOWN,
  });
  expect(Buffer.byteLength(JSON.stringify(status))).toBeLessThan(16 * 1024);
  // The newest of all come first, whosever they are: no identity takes the places of the others.
  const perIdentity = Map.groupBy(first.survey.shown, ({ snapshot: { identity } }) => identity.username);
  expect(new Set([...perIdentity.values()].map((rows) => rows.length))).toEqual(
    new Set([SHOWN / IDENTITIES]),
  );

  const written = world.writes.length;
  const again = await refreshCatalog(world.room, catalog, nas, signal);
  expect(world.writes).toHaveLength(written);
  expect(again).toMatchObject({ shown: SHOWN, hidden: ALL - SHOWN, remove: [], mark: [] });
});
