import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunRecord } from "../../../../src/core/work/run_record.ts";
import { ANNOTATIONS } from "../../../../src/kinds/kopiur/annotations.ts";
import type { Backup } from "../../../../src/kinds/kopiur/generated/backup.ts";
import type { Fate } from "../fake_node.ts";
import { KopiurWorld, type KopiurWorldOptions } from "./kopiur_world.ts";

/** What somebody does to a Backup, and when. */
interface Deed {
  readonly turn: number;
  readonly backup: number;
  readonly what: "cancel" | "delete";
}

interface Story extends KopiurWorldOptions {
  readonly backups: number;
  readonly deeds: readonly Deed[];
}

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fate>({ type: "succeeds" }) },
  fc.constantFrom<Fate>(
    { type: "fails", class: "Locked" },
    { type: "fails", class: "Unreachable" },
    { type: "fails", class: "Full", sources: 1 },
    { type: "fails", class: "Forbidden", sources: 1 },
    { type: "vanishes", sources: 1 },
    { type: "vanishes", sources: 0 },
    { type: "runsOutOfMemory", sources: 1 },
  ),
);

const story: fc.Arbitrary<Story> = fc.record({
  copyMethod: fc.constantFrom("Direct", "Clone", "Snapshot"),
  maxRuns: fc.integer({ min: 1, max: 2 }),
  backups: fc.integer({ min: 1, max: 3 }),
  fates: fc.array(fate, { maxLength: 5 }),
  // The first forty or so requests of an operator are its lists.
  deaths: fc.array(fc.record({ request: fc.integer({ min: 8, max: 90 }), carriedOut: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  }),
  deeds: fc.array(
    fc.record({
      turn: fc.integer({ min: 0, max: 25 }),
      backup: fc.nat(2),
      what: fc.constantFrom("cancel", "delete"),
    }),
    { maxLength: 3 },
  ),
});

const isOver = ({ metadata, status }: Backup) =>
  !metadata.deletionTimestamp && (status?.phase === "Succeeded" || status?.phase === "Failed");
const recordOf = ({ status }: Backup) => status?.work?.snapshot as RunRecord | undefined;

async function tell({ backups, deeds, ...options }: Story): Promise<void> {
  await using world = await new KopiurWorld(options).start();
  for (let i = 0; i < backups; i++) await world.backup(`b${i}`);
  for (let turn = 0; turn < 26; turn++) {
    for (const deed of deeds) if (deed.turn === turn) await carryOut(world, deed);
    await world.turns(1);
  }
  await world.until(
    "every Backup has ended or is gone",
    async () => (await world.backups()).every(isOver),
    3000,
  );
  await world.lifetimesPass();
  await world.lifetimesPass();
  const left = await world.backups();
  const named = left.flatMap(
    ({ status }) => status?.snapshots?.map(({ kopiaSnapshotID }) => kopiaSnapshotID) ?? [],
  );
  const owned = new Set(left.flatMap((backup) => recordOf(backup)?.leftovers ?? []));
  expect(await world.leftovers(), "what is left in the cluster").toEqual([]);
  expect(new Set(world.node.started).size, "no run is started twice").toBe(world.node.started.length);
  expect(world.mostMovers, "movers at once").toBeLessThanOrEqual((options.maxRuns ?? 4) + 1);
  for (const { id, run } of world.repository.snapshots)
    expect(named.includes(id) || owned.has(run ?? ""), `somebody knows of snapshot ${id} of ${run}`).toBe(
      true,
    );
  for (const backup of left) {
    const made = world.repository.snapshots.filter(({ id }) =>
      backup.status?.snapshots?.some(({ kopiaSnapshotID }) => kopiaSnapshotID === id),
    );
    expect(made.length, `the snapshots of ${backup.metadata.name}`).toBe(
      backup.status?.phase === "Succeeded" ? 1 : 0,
    );
    expect(backup.status?.phase === "Succeeded", "what is said is true").toBe(
      recordOf(backup)?.outcome === "Succeeded",
    );
  }
}

async function carryOut(world: KopiurWorld, { backup, what }: Deed): Promise<void> {
  const name = `b${backup}`;
  if (!(await world.backups()).some(({ metadata }) => metadata.name === name)) return;
  if (what === "delete") await world.delete(name);
  else await world.annotate(name, { [ANNOTATIONS.cancel]: "true" });
}

/** What went wrong once. */
const EXAMPLES: [Story][] = [
  [
    {
      copyMethod: "Direct",
      maxRuns: 1,
      backups: 2,
      fates: [],
      deaths: [{ request: 8, carriedOut: false }],
      deeds: [{ turn: 3, backup: 0, what: "delete" }],
    },
  ],
];

const RUNS = process.env.HOLDFAST_LONG === undefined ? 6 : 400;

test("wherever and however often the operator dies, every Backup ends true and leaves nothing behind", {
  timeout: RUNS * 20_000,
}, async () => {
  await fc.assert(fc.asyncProperty(story, tell), { numRuns: RUNS, examples: EXAMPLES });
});
