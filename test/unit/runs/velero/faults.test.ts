import fc from "fast-check";
import { expect, test } from "vitest";
import type { DataPathPhase } from "../../../../src/kinds/velero/phases.ts";
import type { Fate } from "../fake_node.ts";
import { VeleroWorld, type VeleroWorldOptions } from "./velero_world.ts";

/** What happens to a backup that has come to a phase. */
const EVENTS = {
  "it is canceled": (world: VeleroWorld) => world.cancel("b0"),
  "it is deleted": (world: VeleroWorld) => world.delete("b0"),
  "the operator dies": (world: VeleroWorld) => world.stopOperator(),
  "its pod is deleted": (world: VeleroWorld) => world.removeWorkload(),
  "its pod is done": (world: VeleroWorld) => world.endWorkload(),
  "its mover is lost": (world: VeleroWorld) => world.removeMovers(),
  "its node is gone": (world: VeleroWorld) => world.loseNode(),
  "the API server is away": (world: VeleroWorld) => world.loseApiServer(),
  "its location is deleted": (world: VeleroWorld) => world.unlocate(),
} satisfies Readonly<Record<string, (world: VeleroWorld) => Promise<void>>>;
type Event = keyof typeof EVENTS;

const phaseOf = async (world: VeleroWorld) => (await world.find("b0"))?.status?.phase ?? "New";

/** Whatever happened: what is said is true, and nothing else is left in the repository. */
async function isTrue(world: VeleroWorld): Promise<void> {
  const backups = await world.backups();
  const named = backups.flatMap(({ status }) => (status?.snapshotID ? [status.snapshotID] : []));
  for (const { status } of backups)
    expect(status?.snapshotID !== undefined, JSON.stringify(status)).toBe(status?.phase === "Completed");
  expect(world.repository.snapshots.map(({ id }) => id).toSorted()).toEqual(named.toSorted());
}

// prettier-ignore
const MATRIX: readonly (readonly [DataPathPhase, Event, DataPathPhase | "gone"])[] = [
  ["New", "it is canceled", "Canceled"],
  ["New", "it is deleted", "gone"],
  ["New", "the operator dies", "Completed"],
  ["New", "its pod is deleted", "Failed"],
  ["New", "its node is gone", "Failed"],
  ["New", "the API server is away", "Completed"],
  ["New", "its location is deleted", "Failed"],
  ["Accepted", "it is canceled", "Canceled"],
  ["Accepted", "it is deleted", "gone"],
  ["Accepted", "the operator dies", "Completed"],
  ["Accepted", "its pod is deleted", "Failed"],
  ["Accepted", "its pod is done", "Failed"],
  ["Accepted", "its mover is lost", "Completed"],
  ["Accepted", "its node is gone", "Failed"],
  ["Accepted", "the API server is away", "Completed"],
  ["Accepted", "its location is deleted", "Failed"],
  ["Prepared", "it is canceled", "Canceled"],
  ["Prepared", "it is deleted", "gone"],
  ["Prepared", "the operator dies", "Completed"],
  ["Prepared", "its pod is deleted", "Failed"],
  ["Prepared", "its mover is lost", "Completed"],
  ["Prepared", "its node is gone", "Failed"],
  ["Prepared", "the API server is away", "Completed"],
  ["Prepared", "its location is deleted", "Failed"],
  ["InProgress", "it is canceled", "Canceled"],
  ["InProgress", "it is deleted", "gone"],
  ["InProgress", "the operator dies", "Completed"],
  ["InProgress", "its pod is deleted", "Failed"],
  ["InProgress", "its pod is done", "Failed"],
  ["InProgress", "its mover is lost", "Completed"],
  ["InProgress", "its node is gone", "Failed"],
  ["InProgress", "the API server is away", "Completed"],
  ["InProgress", "its location is deleted", "Failed"],
  ["Canceling", "it is deleted", "gone"],
  ["Canceling", "the operator dies", "Canceled"],
  ["Canceling", "its mover is lost", "Canceled"],
  ["Canceling", "its pod is deleted", "Canceled"],
  ["Canceling", "its node is gone", "Canceled"],
  ["Canceling", "the API server is away", "Canceled"],
  ["Canceling", "its location is deleted", "Canceled"],
];

test.each(MATRIX)("a backup that is %s when %s ends %s", { timeout: 60_000 }, async (phase, event, end) => {
  await using world = await new VeleroWorld({ fates: [{ type: "goesOn" }] }).start();
  await world.backup("b0");
  // Otherwise it would have gone on by the next look.
  if (phase === "Prepared") world.refusing = "InProgress";
  if (phase === "Canceling") {
    await world.until("it runs", async () => (await phaseOf(world)) === "InProgress");
    await world.cancel("b0");
  }
  await world.until(`it is ${phase}`, async () => (await phaseOf(world)) === phase);
  await EVENTS[event](world);
  world.refusing = undefined;
  await world.turns(3);
  await world.finishMovers();
  await world.settle();
  expect((await world.find("b0"))?.status?.phase ?? "gone").toBe(end);
  await isTrue(world);
});

test.each<[DataPathPhase, DataPathPhase]>([
  ["Accepted", "Failed"],
  ["Prepared", "Failed"],
  // The mover has the volume, and a kubelet unmounts only what is its pod's.
  ["InProgress", "Completed"],
])(
  "a backup of a PVC that is %s when its pod is deleted ends %s",
  {
    timeout: 60_000,
  },
  async (phase, end) => {
    await using world = await new VeleroWorld({ ofClaim: true, fates: [{ type: "goesOn" }] }).start();
    await world.backup("b0");
    if (phase === "Prepared") world.refusing = "InProgress";
    await world.until(`it is ${phase}`, async () => (await phaseOf(world)) === phase);
    await world.removeWorkload();
    world.refusing = undefined;
    await world.turns(3);
    await world.finishMovers();
    await world.settle();
    expect(await phaseOf(world)).toBe(end);
    await isTrue(world);
  },
);

test("a backup fails whose PVC goes with its pod: files may have vanished under the mover", {
  timeout: 60_000,
}, async () => {
  await using world = await new VeleroWorld({ ofClaim: true, fates: [{ type: "goesOn" }] }).start();
  await world.backup("b0");
  await world.until("its mover works", async () => world.node.told.length > 0);
  await world.removeWorkload();
  await world.removeClaim();
  await world.settle();
  expect((await world.find("b0"))?.status).toMatchObject({
    phase: "Failed",
    message:
      "PersistentVolumeClaim shop/data was deleted while its volume data was backed up, and the volume with it, so that files may be missing. Back the pod up again.",
  });
  await isTrue(world);
});

test("a backup that is tried again once its pod is gone fails: the folder is not its volume any more", {
  timeout: 60_000,
}, async () => {
  const fates: Fate[] = [{ type: "goesOn" }];
  await using world = await new VeleroWorld({ ofClaim: true, fates }).start();
  await world.backup("b0");
  await world.until("its mover works", async () => world.node.told.length > 0);
  await world.removeWorkload();
  await world.removeMovers();
  await world.settle();
  expect((await world.find("b0"))?.status).toMatchObject({
    phase: "Failed",
    message: "Pod shop/web ended or was deleted before the mover had its volume data.",
  });
  await isTrue(world);
});

test("a mover that works goes on through an upgrade of the operator", { timeout: 60_000 }, async () => {
  await using world = await new VeleroWorld({ fates: [{ type: "goesOn" }] }).start();
  await world.backup("b0");
  await world.until("its mover works", async () => world.node.told.length > 0);
  await world.upgrade();
  await world.turns(5);
  await world.finishMovers();
  await world.settle();
  expect(await phaseOf(world)).toBe("Completed");
  expect(world.node.started).toHaveLength(1);
  await isTrue(world);
});

test.each<[string, readonly Fate[], DataPathPhase]>([
  ["ends for want of memory, each time", Array(4).fill({ type: "runsOutOfMemory", sources: 0 }), "Failed"],
  ["ends for want of memory, once", [{ type: "runsOutOfMemory", sources: 0 }], "Completed"],
  ["vanishes when it was done, and says nothing", [{ type: "vanishes", sources: 1 }], "Completed"],
  ["finds no storage, for a while", [{ type: "fails", class: "Unreachable" }], "Completed"],
  ["finds no storage", Array(4).fill({ type: "fails", class: "Unreachable" }), "Failed"],
  ["fails when half was done", [{ type: "fails", class: "SourceUnreadable", sources: 1 }], "Failed"],
  ["never starts", Array(4).fill({ type: "neverStarts" }), "Failed"],
])("the end of a backup is true whose mover %s", { timeout: 60_000 }, async (_, fates, end) => {
  await using world = await new VeleroWorld({ fates }).start();
  await world.backup("b0");
  await world.settle();
  expect(await phaseOf(world)).toBe(end);
  await isTrue(world);
});

test("a backup is canceled in the end though its mover's node says nothing", {
  timeout: 60_000,
}, async () => {
  await using world = await new VeleroWorld({ fates: [{ type: "hangs" }] }).start();
  await world.backup("b0");
  await world.until("it runs", async () => (await phaseOf(world)) === "InProgress");
  await world.cancel("b0");
  await world.until("it is over", async () => (await phaseOf(world)) === "Canceled");
  expect((await world.find("b0"))?.status).toMatchObject({
    message: "Canceled. The mover did not say how it ended, and its Job was deleted.",
  });
});

test("a backup fails in the end though the node of its mover never answers again", {
  timeout: 60_000,
}, async () => {
  await using world = await new VeleroWorld({ fates: [{ type: "hangs" }] }).start();
  await world.backup("b0");
  await world.until("it runs", async () => (await phaseOf(world)) === "InProgress");
  await world.evictMovers();
  await world.until("it is over", async () => (await phaseOf(world)) === "Failed");
  expect((await world.find("b0"))?.status).toMatchObject({
    message: expect.stringMatching(/^Timed out: The pod .* its node node-1 does not say whether it has/),
  });
});

test("what a mover leaves late that worked on out of sight goes, too", { timeout: 60_000 }, async () => {
  const fates = Array<Fate>(4).fill({ type: "worksOn" });
  await using world = await new VeleroWorld({ fates }).start();
  await world.backup("b0");
  await world.until("it is over", async () => (await phaseOf(world)) === "Failed");
  await world.turns(60, 60_000);
  world.node.workOn();
  expect(world.repository.snapshots).not.toEqual([]);
  await world.settle();
  await isTrue(world);
});

test("what a backup left goes though somebody deletes it as soon as it has failed", {
  timeout: 60_000,
}, async () => {
  const fates: Fate[] = [{ type: "fails", class: "SourceUnreadable", sources: 1 }];
  await using world = await new VeleroWorld({ fates }).start();
  await world.backup("b0");
  await world.until("it is over", async () => (await phaseOf(world)) === "Failed");
  expect(world.repository.snapshots).not.toEqual([]);
  await world.delete("b0");
  await world.settle();
  await isTrue(world);
});

test("a backup that is tried again waits for a slot of its node as the first time", {
  timeout: 60_000,
}, async () => {
  const fates: Fate[] = [{ type: "fails", class: "Unreachable" }, { type: "goesOn" }];
  await using world = await new VeleroWorld({ fates }).start();
  await world.configure({ loadConcurrency: { globalConfig: 1 } });
  await world.backup("b0");
  await world.backup("b1");
  await world.until("the second one works", async () => world.node.told.length > 1);
  await world.turns(150);
  const message = "Queued on node node-1: 1 running, 0 waiting (limit 1).";
  expect((await world.find("b0"))?.status).toMatchObject({ phase: "InProgress", message });
  await world.settle();
  expect(world.mostMovers).toBe(1);
  expect((await world.backups()).map(({ status }) => status?.phase)).toEqual(["Completed", "Completed"]);
  await isTrue(world);
});

const VOLUMES = process.env.HOLDFAST_LONG === undefined ? 30 : 100;

test("many volumes of one node share its slots, and those that wait hold no pod", {
  timeout: 120_000,
}, async () => {
  await using world = await new VeleroWorld().start();
  await world.configure({ loadConcurrency: { globalConfig: 5 } });
  for (let i = 0; i < VOLUMES; i++) await world.backup(`b${i}`);
  await world.settle();
  expect(world.mostMovers).toBe(5);
  expect((await world.backups()).map(({ status }) => status?.phase)).toEqual(
    Array(VOLUMES).fill("Completed"),
  );
  await isTrue(world);
});

test("no more movers are prepared at once than may be, though volumes come together", {
  timeout: 120_000,
}, async () => {
  await using world = await new VeleroWorld().start();
  await world.configure({ loadConcurrency: { globalConfig: 20, prepareQueueLength: 2 } });
  for (let i = 0; i < 12; i++) await world.backup(`b${i}`);
  await world.settle();
  expect(world.mostPreparing).toBe(2);
  expect((await world.backups()).map(({ status }) => status?.phase)).toEqual(Array(12).fill("Completed"));
});

test("volumes that wait ask the API server for little", { timeout: 120_000 }, async () => {
  await using world = await new VeleroWorld({ fates: [{ type: "goesOn" }] }).start();
  await world.configure({ loadConcurrency: { globalConfig: 1 } });
  for (let i = 0; i < VOLUMES; i++) await world.backup(`b${i}`);
  await world.turns(60);
  world.reads = 0;
  await world.turns(60);
  expect(world.reads / 60).toBeLessThan(VOLUMES / 10);
});

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fate>({ type: "succeeds" }) },
  fc.constantFrom<Fate>(
    { type: "fails", class: "Unreachable" },
    { type: "fails", class: "SourceUnreadable", sources: 1 },
    { type: "vanishes", sources: 1 },
    { type: "vanishes", sources: 0 },
    { type: "runsOutOfMemory", sources: 1 },
    { type: "goesOn" },
  ),
);

interface Story extends VeleroWorldOptions {
  readonly deeds: readonly { readonly turn: number; readonly event: Event }[];
}

const story: fc.Arbitrary<Story> = fc.record({
  fates: fc.array(fate, { maxLength: 4 }),
  deaths: fc.array(fc.record({ request: fc.integer({ min: 6, max: 60 }), carriedOut: fc.boolean() }), {
    maxLength: 5,
  }),
  deeds: fc.array(
    fc.record({
      turn: fc.integer({ min: 0, max: 20 }),
      event: fc.constantFrom(...(Object.keys(EVENTS) as Event[])),
    }),
    { maxLength: 3 },
  ),
});

const RUNS = process.env.HOLDFAST_LONG === undefined ? 6 : 400;

test("whatever happens whenever, a backup ends true and leaves nothing behind", {
  timeout: RUNS * 20_000,
}, async () => {
  const tell = async ({ deeds, ...options }: Story) => {
    await using world = await new VeleroWorld(options).start();
    await world.backup("b0");
    for (let turn = 0; turn <= 20; turn++) {
      for (const deed of deeds) if (deed.turn === turn) await EVENTS[deed.event](world).catch(() => {});
      await world.turns(1);
    }
    await world.finishMovers();
    await world.settle();
    await isTrue(world);
  };
  await fc.assert(fc.asyncProperty(story, tell), { numRuns: RUNS });
});
