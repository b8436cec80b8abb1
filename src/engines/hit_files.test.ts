import { expect, test } from "vitest";
import { MOST_COUNTED, MOST_HIT } from "../wire/missing.ts";
import type { Snapshot } from "../wire/snapshot.ts";
import { HitFiles, missingData } from "./hit_files.ts";

function filesOf(...paths: readonly string[]): HitFiles {
  const files = new HitFiles();
  for (const path of paths) files.add(path);
  return files;
}

test("a file is counted once, however many of its pieces are missing, and some are named", () => {
  const { count, examples } = filesOf("a", "a", "b", "c", "d", "d");
  expect({ count, examples }).toEqual({ count: 4, examples: ["a", "b", "c"] });
});

test("the root is a dot", () => {
  expect(filesOf("").examples).toEqual(["."]);
});

test("counting ends somewhere", () => {
  expect(filesOf(...Array.from({ length: MOST_COUNTED + 5 }, (_, i) => `f${i}`)).count).toBe(MOST_COUNTED);
});

test("the newest snapshots are named, and all are counted", () => {
  const identity = { username: "u", hostname: "h", path: "/p" };
  const at = (n: number) => new Date(n * 1000).toISOString();
  const hit = Array.from({ length: MOST_HIT + 2 }, (_, n) => ({
    snapshot: { id: `s${n}`, identity, startedAt: at(n), tags: {} } as unknown as Snapshot,
    files: filesOf("a"),
  }));
  const missing = missingData(3, hit, 7);
  expect(missing).toMatchObject({ packs: 3, snapshots: MOST_HIT + 2, unexamined: 7 });
  expect(missing.hit).toHaveLength(MOST_HIT);
  expect(missing.hit[0]).toEqual({
    id: `s${MOST_HIT + 1}`,
    identity,
    startedAt: at(MOST_HIT + 1),
    files: 1,
    examples: ["a"],
  });
  expect(missingData(1, [])).toEqual({ packs: 1, snapshots: 0, hit: [] });
});
