import { beforeEach, describe, expect, test } from "vitest";
import type { Client } from "../../kube/client.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { CatalogWorld } from "../testing/catalog_world.ts";
import { backup, GROUP, NOW, snapshot } from "../testing/samples.ts";
import { refreshCatalog } from "./refresh_catalog.ts";
import { catalogNas, catalogOf, isFound, maker, runOf, STANDING, type Standing } from "./testing/samples.ts";

const { signal } = new AbortController();
const MINUTE = 60_000;

let world: CatalogWorld;

beforeEach(() => {
  world = new CatalogWorld();
  world.namespace("billing");
});

/** A snapshot of somebody else, from so many minutes ago. */
function foreign(minutes: number, more: Partial<Snapshot> = {}): Snapshot {
  const { run: _, ...rest } = snapshot();
  const startedAt = new Date(NOW - minutes * MINUTE).toISOString();
  return { ...rest, id: `f${minutes}`, root: `root-f${minutes}`, startedAt, ...more };
}

const catalog = () => catalogOf((resource) => world.cache({ resource }));
const refresh = (repository = catalogNas()) => refreshCatalog(world.room, catalog(), repository, signal);
const rows = () => world.all(STANDING).filter(isFound);
const shown = () =>
  rows()
    .map(({ status }) => status?.snapshots?.[0]?.id)
    .toSorted();
const missing = ({ status }: Standing) => status?.conditions?.find(({ type }) => type === "SnapshotMissing");
const named = (name: string) => world.all(STANDING).find(({ metadata }) => metadata.name === name);

test("rows are written with the client for many writes: whatever else the operator does waits for none of them", async () => {
  world.snapshots = [foreign(1), foreign(2)];
  const refuse = async () => {
    throw new Error("this one is for others");
  };
  const usual = { create: refuse, patch: refuse, delete: refuse, get: refuse } as unknown as Client;
  const { client: bulk } = world.room;
  await refreshCatalog({ ...world.room, client: usual, bulk }, catalog(), catalogNas(), signal);
  expect(rows()).toHaveLength(2);
});

describe("refreshCatalog()", () => {
  test("shows a snapshot as an object of its own", async () => {
    world.snapshots = [foreign(10)];
    await refresh();
    const [row] = rows();
    expect(row).toMatchObject({
      metadata: {
        namespace: "billing",
        name: expect.stringMatching(/^found-data-20260524-020300-[0-9a-z]{12}$/),
        labels: { [`${GROUP}/found`]: "f10" },
      },
      spec: { found: true },
      status: { phase: "Found", snapshots: [{ id: "f10", root: "root-f10" }] },
    });
  });

  test("leaves alone what a person made under the name of its object", async () => {
    world.snapshots = [foreign(10)];
    await refresh();
    const [row] = rows();
    const theirs = {
      ...maker(snapshot({ id: "k9", run: "run-9" })),
      metadata: { ...row?.metadata, labels: {} },
    };
    world.drop(STANDING, row as Standing);
    world.put(STANDING, theirs as Standing);
    await refresh();
    expect(named(row?.metadata.name ?? "")).toMatchObject({ spec: theirs.spec, status: theirs.status });
  });

  test("does nothing the second time, and leaves no session open", async () => {
    world.snapshots = [foreign(1), foreign(2), foreign(3)];
    await refresh();
    const written = world.writes.length;
    await refresh();
    expect(world.writes.length).toBe(written);
    expect(world.open).toBe(0);
  });

  test("does not show what an object of ours stands for, also under another ID", async () => {
    world.snapshots = [snapshot(), snapshot({ id: "k2", run: "run-2", root: "root-2" }), foreign(5)];
    world.put(STANDING, maker(snapshot()));
    world.put(STANDING, maker(snapshot({ id: "before", run: "run-2", root: "root-2" }), "second"));
    await refresh();
    expect(shown()).toEqual(["f5"]);
  });

  test("says of an object of ours that its snapshot is pinned, and no longer than it is", async () => {
    const pinned = () =>
      named("first")?.status?.conditions?.find(({ type }) => type === "SnapshotPinned")?.status;
    world.put(STANDING, maker(snapshot({ id: "before" })));
    world.snapshots = [snapshot({ pinned: true })];
    await refresh();
    expect(pinned()).toBe("True");
    const written = world.writes.length;
    await refresh();
    expect(world.writes).toHaveLength(written);

    world.snapshots = [];
    await refresh();
    expect(pinned()).toBe("True");
    expect(named("first")?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "SnapshotMissing", status: "Unknown" }),
    );
    world.snapshots = [snapshot()];
    await refresh();
    expect(pinned()).toBeUndefined();
    expect(named("first")?.status?.phase).toBe("Succeeded");
  });

  test("does not show what a run has made that is not known to have ended", async () => {
    const running: Standing = backup({ status: { phase: "Running" } });
    world.put(STANDING, running);
    world.snapshots = [snapshot({ run: runOf(running) }), snapshot({ id: "k2", run: "another" })];
    await refresh();
    expect(shown()).toEqual(["k2"]);
  });

  test("takes a row away once an object of ours stands for its snapshot", async () => {
    world.snapshots = [snapshot()];
    await refresh();
    expect(shown()).toEqual(["k1"]);
    world.put(STANDING, maker(snapshot()));
    await refresh();
    expect(shown()).toEqual([]);
  });

  test("shows the snapshot of a deleted object that retains it", async () => {
    world.snapshots = [snapshot()];
    const made = maker(snapshot());
    world.put(STANDING, made);
    await refresh();
    world.drop(STANDING, made);
    await refresh();
    expect(shown()).toEqual(["k1"]);
  });

  test("keeps the row of a snapshot whose ID was rewritten", async () => {
    world.snapshots = [foreign(1)];
    await refresh();
    const [before] = rows();
    world.snapshots = [foreign(1, { id: "pinned" })];
    await refresh();
    expect(shown()).toEqual(["pinned"]);
    expect(rows()[0]?.metadata.uid).toBe(before?.metadata.uid);
    expect(rows()[0]?.metadata.labels?.[`${GROUP}/found`]).toBe("pinned");
  });

  test("what is beyond the limits is not shown any more, and stays in the repository", async () => {
    world.snapshots = [foreign(1), foreign(2), foreign(3)];
    await refresh();
    const retain = { perIdentity: 2, maxAgeDays: 90 };
    const { hidden } = await refresh(
      catalogNas({ spec: { catalog: { enabled: true, retain, refreshInterval: "5m" } } }),
    );
    expect(shown()).toEqual(["f1", "f2"]);
    expect(hidden).toBe(1);
  });

  test.each(["unreachable", "breaks off", "another repository"] as const)(
    "a repository that %s changes nothing",
    async (fault) => {
      world.snapshots = [foreign(1), foreign(2), foreign(3)];
      world.put(STANDING, maker(snapshot()));
      await refresh();
      const written = world.writes.length;
      world.snapshots = [];
      world.listingFault = fault === "breaks off" ? undefined : fault;
      if (fault === "breaks off") {
        world.snapshots = [foreign(4), foreign(5), foreign(6)];
        world.listingFault = fault;
      }
      await world.clock.advance(5 * MINUTE);
      await expect(refresh()).rejects.toThrow();
      expect(world.writes.length).toBe(written);
      expect(world.open).toBe(0);
    },
  );

  describe("a snapshot that is gone from the repository", () => {
    test("its row is marked first, and goes when the snapshot is missing again a while later", async () => {
      world.snapshots = [foreign(1), foreign(2)];
      await refresh();
      world.snapshots = [foreign(1)];
      await refresh();
      expect(shown()).toEqual(["f1", "f2"]);
      expect(rows().map((row) => missing(row)?.status)).toEqual([undefined, "Unknown"]);
      await world.clock.advance(MINUTE - 1);
      await refresh();
      expect(shown()).toEqual(["f1", "f2"]);
      await world.clock.advance(1);
      await refresh();
      expect(shown()).toEqual(["f1"]);
    });

    test("its row stays when the snapshot was only late", async () => {
      world.snapshots = [foreign(1), foreign(2)];
      await refresh();
      world.snapshots = [foreign(1)];
      await refresh();
      world.snapshots = [foreign(1), foreign(2)];
      await world.clock.advance(5 * MINUTE);
      await refresh();
      expect(rows().map(missing)).toEqual([undefined, undefined]);
    });

    test("the object that made it says so, and is never deleted", async () => {
      world.put(STANDING, maker(snapshot()));
      world.snapshots = [snapshot(), foreign(1)];
      await refresh();
      world.snapshots = [foreign(1)];
      for (const wanted of ["Unknown", "True", "True"]) {
        await refresh();
        const first = named("first");
        expect(first && missing(first)?.status).toBe(wanted);
        await world.clock.advance(5 * MINUTE);
      }
      expect(missing(named("first") as Standing)?.message).toContain("does not hold k1 any more");
      world.snapshots = [snapshot(), foreign(1)];
      await refresh();
      expect(missing(named("first") as Standing)).toBeUndefined();
    });
  });

  describe("what comes after the list was asked for", () => {
    /** Reads the list, and has something happen once it is asked for. */
    function refreshWhile(happens: () => void) {
      const { room } = world;
      const { sessions } = room;
      const open: typeof sessions.open = (...request) => {
        happens();
        return sessions.open(...request);
      };
      return refreshCatalog({ ...room, sessions: { open } }, catalog(), catalogNas(), signal);
    }

    test("an object is not judged by it", async () => {
      world.snapshots = [foreign(1)];
      const told = {
        type: "SnapshotMissing",
        status: "True",
        reason: "SnapshotMissing",
        message: "",
      } as const;
      const conditions = [{ ...told, lastTransitionTime: "2026-05-24T00:00:00Z" }];
      const second = maker(snapshot({ id: "k2", run: "run-2" }), "second");
      await refreshWhile(() => {
        world.put(STANDING, maker(snapshot()));
        world.put(STANDING, { ...second, status: { ...second.status, conditions } } as Standing);
      });
      expect(missing(named("first") as Standing)).toBeUndefined();
      expect(missing(named("second") as Standing)?.status).toBe("True");
    });

    test("an object keeps its snapshot from being shown", async () => {
      world.snapshots = [snapshot()];
      await refreshWhile(() => world.put(STANDING, maker(snapshot())));
      expect(shown()).toEqual([]);
    });

    test("a row that the cache had not heard of is not judged by it", async () => {
      world.freeze();
      world.snapshots = [foreign(1)];
      await refresh();
      world.snapshots = [foreign(2)];
      await refreshWhile(() => world.sync());
      expect(shown()).toEqual(["f1", "f2"]);
      expect(rows().map(missing)).toEqual([undefined, undefined]);
    });
  });

  describe("a catalogue that has shrunk", () => {
    const many = Array.from({ length: 8 }, (_, n) => foreign(n + 1));

    test("to nothing takes rows away that nobody came to fill: they tell of no snapshot", async () => {
      world.snapshots = many;
      world.plan({ write: 1, carriedOut: true });
      await expect(refresh()).rejects.toThrow();
      world.plan(undefined);
      expect(rows()).toHaveLength(many.length);
      expect(rows().filter(({ status }) => status === undefined)).toHaveLength(1);
      world.snapshots = [];
      await refresh();
      expect(rows().map(({ status }) => status?.snapshots?.length)).toEqual(Array(many.length - 1).fill(1));
    });

    test.each([
      ["to nothing", []],
      ["by most of it", many.slice(0, 3)],
    ])("%s gives nothing up, however often it is looked at", async (_, left) => {
      world.snapshots = many;
      await refresh();
      world.snapshots = left;
      for (let look = 0; look < 4; look++) {
        const { shrunk } = await refresh();
        expect(shrunk).toEqual({ missing: 8 - left.length, known: 8 });
        await world.clock.advance(5 * MINUTE);
      }
      expect(shown()).toHaveLength(8);
    });

    test("is nothing but turnover when others have as many as before", async () => {
      world.snapshots = many;
      await refresh();
      world.snapshots = Array.from({ length: 8 }, (_, n) => foreign(n + 21));
      const turned = catalogNas({ status: { catalog: { snapshotCount: 8 } } });
      await refresh(turned);
      await world.clock.advance(5 * MINUTE);
      const { shrunk } = await refresh(turned);
      expect(shrunk).toBeUndefined();
      expect(shown()).toEqual(world.snapshots.map(({ id }) => id).toSorted());
    });

    test("stays one while nobody has acknowledged it, though the next list is as long as the last", async () => {
      world.snapshots = many;
      await refresh();
      world.snapshots = many.slice(0, 2);
      await refresh(catalogNas({ status: { catalog: { snapshotCount: 8 } } }));
      await world.clock.advance(5 * MINUTE);
      const condition = { type: "CatalogShrunk", status: "True", reason: "SnapshotsMissing", message: "" };
      const conditions = [{ ...condition, lastTransitionTime: "2026-05-24T02:13:00Z" }];
      await refresh(catalogNas({ status: { catalog: { snapshotCount: 2 }, conditions } }));
      expect(shown()).toHaveLength(8);
    });

    test("gives up what somebody acknowledges", async () => {
      world.snapshots = many;
      await refresh();
      world.snapshots = many.slice(0, 2);
      await refresh();
      await world.clock.advance(5 * MINUTE);
      const since = "2026-05-24T02:14:00Z";
      const condition = { type: "CatalogShrunk", status: "True", reason: "SnapshotsMissing", message: "" };
      const acknowledged = (value: string) =>
        catalogNas({
          metadata: { annotations: { [`${GROUP}/acknowledge-catalog-shrink`]: value } },
          status: { conditions: [{ ...condition, lastTransitionTime: since }] },
        });
      await refresh(acknowledged("2026-01-01T00:00:00Z"));
      expect(shown()).toHaveLength(8);
      const { shrunk } = await refresh(acknowledged(since));
      expect(shown()).toEqual(["f1", "f2"]);
      expect(shrunk).toBeUndefined();
    });
  });
});
