import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../wire/snapshot.ts";
import { type SurveyOptions, survey } from "./survey.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const HOUR = 3_600_000;

/** A snapshot that was begun so many hours ago. */
function snapshot(hours: number, more: Partial<Snapshot> = {}): Snapshot {
  const { identity = { username: "data", hostname: "billing", path: "/pvc/data" } } = more;
  return {
    id: `${identity.username}${hours}`,
    tags: {},
    startedAt: new Date(NOW - hours * HOUR).toISOString(),
    root: `root${hours}`,
    bytes: 100 + hours,
    fidelity: "Engine",
    ...more,
    identity,
  };
}

async function* listing(snapshots: readonly Snapshot[]): AsyncIterable<Snapshot> {
  yield* snapshots.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
}

function read(snapshots: readonly Snapshot[], options: Partial<SurveyOptions> = {}) {
  return survey(listing(snapshots), {
    snapshotOwners: [],
    rows: new Set(),
    nameOf: ({ id }) => `row-${id}`,
    limits: { perIdentity: 100, maxAge: 90 * 24 * HOUR },
    now: NOW,
    ...options,
  });
}

const ids = (rows: readonly { readonly snapshot: Snapshot }[]) => rows.map((row) => row.snapshot.id);
const more = { username: "more", hostname: "billing", path: "/pvc/more" };

describe("survey()", () => {
  test("counts everything, and shows what nobody stands for", async () => {
    const snapshotOwners = [{ key: "first", snapshots: [{ ...snapshot(1) }], runs: ["run-9"] }];
    const found = await read(
      [snapshot(1), snapshot(2), snapshot(3, { run: "run-9" }), snapshot(4, { identity: more })],
      { snapshotOwners },
    );
    expect(ids(found.shown)).toEqual(["data2", "more4"]);
    expect(found).toMatchObject({ total: 4, hidden: 0, logicalBytes: 101 + 104 });
    expect(found.identities).toEqual([
      { identity: "data@billing:/pvc/data", snapshots: 3, newestAt: "2026-05-31T23:00:00.000Z" },
      { identity: "more@billing:/pvc/more", snapshots: 1, newestAt: "2026-05-31T20:00:00.000Z" },
    ]);
  });

  test.each([
    ["the newest of each identity", { perIdentity: 1, maxAge: 100 * HOUR }, ["data1", "more4"], 2],
    ["none that is older", { perIdentity: 9, maxAge: 2 * HOUR }, ["data1", "data2"], 2],
    ["no more in all", { perIdentity: 9, maxAge: 100 * HOUR, inAll: 2 }, ["data1", "data2"], 2],
    ["none at all", { perIdentity: 0, maxAge: 100 * HOUR }, [], 4],
  ])("shows %s", async (_, limits, wanted, hidden) => {
    const list = [snapshot(1), snapshot(2), snapshot(3), snapshot(4, { identity: more })];
    const found = await read(list, { limits });
    expect(ids(found.shown)).toEqual(wanted);
    expect(found.hidden).toBe(hidden);
  });

  test("tells which of ours stand for something that is pinned, under whatever ID it is by now", async () => {
    const identity = snapshot(2).identity;
    const snapshotOwners = [
      { key: "first", snapshots: [{ ...snapshot(1) }], runs: [] },
      {
        key: "second",
        snapshots: [{ id: "before", identity, run: "run-2", root: "root2" }],
        runs: ["run-2"],
      },
    ];
    const list = [snapshot(1), snapshot(2, { run: "run-2", pinned: true }), snapshot(3, { pinned: true })];
    expect([...(await read(list, { snapshotOwners })).pinned]).toEqual(["second"]);
  });

  test("what ours stand for takes no place from the others", async () => {
    const snapshotOwners = [{ key: "first", snapshots: [{ ...snapshot(1) }], runs: [] }];
    const limits = { perIdentity: 1, maxAge: 100 * HOUR };
    expect(ids((await read([snapshot(1), snapshot(2)], { snapshotOwners, limits })).shown)).toEqual([
      "data2",
    ]);
  });

  test("as many from the future are kept as are shown in all, whatever the list holds", async () => {
    const list = Array.from({ length: 50 }, (_, i) =>
      snapshot(-48 - i, { identity: { ...more, username: `user${i}` } }),
    );
    const limits = { perIdentity: 9, maxAge: 100 * HOUR, inAll: 5 };
    const found = await read(list, { limits });
    expect(ids(found.shown)).toHaveLength(5);
    expect(found.hidden).toBe(45);
  });

  test("a snapshot from the future is not the newest, and is shown where there is room", async () => {
    const list = [snapshot(-48), snapshot(1), snapshot(2)];
    const shown = async (perIdentity: number) =>
      ids((await read(list, { limits: { perIdentity, maxAge: 100 * HOUR } })).shown);
    expect(await shown(2)).toEqual(["data1", "data2"]);
    expect(await shown(3)).toEqual(["data1", "data2", "data-48"]);
  });

  test("a snapshot without a name, or without a time, is counted and not shown", async () => {
    const list = [snapshot(1, { startedAt: "yesterday" }), snapshot(2, { id: "odd" })];
    const nameOf = ({ id }: Snapshot) => (id === "odd" ? undefined : id);
    expect(await read(list, { nameOf })).toMatchObject({ total: 2, shown: [], hidden: 2 });
  });

  test("two that are the same are shown once", async () => {
    const found = await read([snapshot(1, { id: "a" }), snapshot(1, { id: "b" })], { nameOf: () => "row" });
    expect(found).toMatchObject({ shown: [{ name: "row" }], hidden: 1, total: 2 });
  });

  test("tells which rows of before are still in the repository, also when they are not shown", async () => {
    const limits = { perIdentity: 1, maxAge: 100 * HOUR };
    const rows = new Set(["row-data1", "row-data2", "row-data3"]);
    const found = await read([snapshot(1), snapshot(2)], { rows, limits });
    expect([...found.listed]).toEqual(["row-data1", "row-data2"]);
  });

  test("tells which snapshots of whom are missing", async () => {
    const snapshotOwners = [
      { key: "whole", snapshots: [snapshot(1)], runs: [] },
      { key: "half", snapshots: [snapshot(2), snapshot(3)], runs: [] },
      { key: "empty", snapshots: [], runs: [] },
    ];
    const { missing } = await read([snapshot(1), snapshot(2)], { snapshotOwners });
    expect([...missing]).toEqual([["half", [snapshot(3)]]]);
  });

  test("keeps no more of a huge list than it shows", async () => {
    async function* huge() {
      for (let n = 0; n < 50_000; n++) {
        const identity = { username: `user${n % 500}`, hostname: "billing", path: "/data" };
        yield snapshot(n / 1000, { id: `k${n}`, identity });
      }
    }
    const limits = { perIdentity: 100, maxAge: 90 * 24 * HOUR };
    const nameOf = ({ id }: Snapshot) => id;
    const found = await survey(huge(), { snapshotOwners: [], rows: new Set(), nameOf, limits, now: NOW });
    expect(found).toMatchObject({ total: 50_000, hidden: 40_000 });
    expect(found.shown).toHaveLength(10_000);
    expect(found.identities).toHaveLength(500);
  });

  test("says nothing when the list breaks off", async () => {
    async function* broken() {
      yield snapshot(1);
      throw new Error("the connection is gone");
    }
    const limits = { perIdentity: 1, maxAge: HOUR };
    const options = { snapshotOwners: [], rows: new Set<string>(), nameOf: () => "row", limits, now: NOW };
    await expect(survey(broken(), options)).rejects.toThrow("the connection is gone");
  });
});
