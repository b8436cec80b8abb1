import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../wire/snapshot.ts";
import type { SnapshotReference } from "../../wire/work.ts";
import { commonNames, SnapshotOwnerIndex } from "./snapshot_owner_index.ts";

const identity = { username: "data", hostname: "billing", path: "/pvc/data" };
const listed: Snapshot = {
  id: "k1",
  identity,
  run: "run-1",
  root: "root-1",
  tags: {},
  startedAt: "2026-05-24T02:12:00Z",
  fidelity: "Full",
};
const kept = { id: "k1", identity, run: "run-1", root: "root-1" };
const index = (snapshot: object, runs: readonly string[] = []) =>
  new SnapshotOwnerIndex([{ key: "billing/first", snapshots: [{ ...kept, ...snapshot }], runs }]);

describe("KeeperIndex", () => {
  test.each([
    ["the same", {}, true],
    ["one whose ID was rewritten", { id: "old" }, true],
    ["one whose tag was lost", { run: undefined }, true],
    ["another one", { id: "k2", run: "run-2", root: "root-2" }, false],
    ["another content of the same run", { id: "k2", root: "root-2" }, false],
    ["another volume of the same run", { id: "k2", identity: { ...identity, path: "/pvc/more" } }, false],
    ["the same content of another run", { id: "k2", run: "run-2" }, false],
    ["one whose content was not known", { id: "old", root: undefined }, true],
    ["one of which only the ID was known", { id: "old", run: undefined, root: undefined }, false],
  ])("%s", (_, remembered, same) => {
    expect(index(remembered).keeps(listed)).toBe(same);
    expect(index(remembered).places(listed).length > 0).toBe(same);
  });

  test("what a run has made is its own before anybody knows of it", () => {
    const running = new SnapshotOwnerIndex([{ key: "billing/first", snapshots: [], runs: ["run-1"] }]);
    expect(running.keeps(listed)).toBe(true);
    expect(running.places(listed)).toEqual([]);
    expect(running.keeps({ ...listed, run: "run-2" })).toBe(false);
  });

  test("two may stand for one", () => {
    const both = new SnapshotOwnerIndex(
      ["first", "second"].map((key) => ({ key, snapshots: [kept], runs: [] })),
    );
    expect(new Set(both.places(listed).map(({ snapshotOwner }) => snapshotOwner))).toEqual(
      new Set(["first", "second"]),
    );
  });
});

test.each<[string, SnapshotReference, boolean]>([
  ["the same ID", { id: "k1" }, true],
  ["the same run, whatever was known of the content", { id: "k2", run: "run-1", identity }, true],
  ["another run", { id: "k2", run: "run-2", identity }, false],
  [
    "the same run, of another volume",
    { id: "k2", run: "run-1", identity: { ...identity, path: "/" } },
    false,
  ],
  ["the same run, of whom is not known", { id: "k2", run: "run-1" }, false],
])("commonNames() of two with %s", (_, other, common) => {
  const names = commonNames(kept);
  expect(commonNames(other).some((name) => names.includes(name))).toBe(common);
});
