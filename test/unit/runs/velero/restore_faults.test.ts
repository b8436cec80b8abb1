import { expect, test } from "vitest";
import type { DataPathPhase } from "../../../../src/kinds/velero/phases.ts";
import { VeleroWorld } from "./velero_world.ts";

/** What happens to a restore that has come to a phase. */
const EVENTS = {
  "it is canceled": (world: VeleroWorld) => world.cancel("r0"),
  "it is deleted": (world: VeleroWorld) => world.delete("r0"),
  "the operator dies": (world: VeleroWorld) => world.stopOperator(),
  "its pod is deleted": (world: VeleroWorld) => world.removeWorkload("r0"),
  "its mover is lost": (world: VeleroWorld) => world.removeMovers(),
  "its node is gone": (world: VeleroWorld) => world.loseNode(),
  "the API server is away": (world: VeleroWorld) => world.loseApiServer(),
  "its location is deleted": (world: VeleroWorld) => world.unlocate(),
} satisfies Readonly<Record<string, (world: VeleroWorld) => Promise<void>>>;

const phaseOf = async (world: VeleroWorld) => (await world.find("r0"))?.status?.phase ?? "New";

const MATRIX: readonly (readonly [DataPathPhase, keyof typeof EVENTS, DataPathPhase | "gone"])[] = [
  ["New", "it is canceled", "Canceled"],
  ["New", "it is deleted", "gone"],
  ["New", "the operator dies", "Completed"],
  ["New", "its pod is deleted", "Failed"],
  ["New", "its node is gone", "Failed"],
  ["New", "the API server is away", "Completed"],
  ["New", "its location is deleted", "Failed"],
  ["Accepted", "it is canceled", "Canceled"],
  ["Accepted", "it is deleted", "gone"],
  ["Accepted", "its pod is deleted", "Failed"],
  ["Accepted", "its node is gone", "Failed"],
  ["Accepted", "the API server is away", "Completed"],
  ["Accepted", "its location is deleted", "Failed"],
  ["Accepted", "the operator dies", "Completed"],
  ["Accepted", "its mover is lost", "Completed"],
  ["Prepared", "it is canceled", "Canceled"],
  ["Prepared", "it is deleted", "gone"],
  ["Prepared", "its pod is deleted", "Failed"],
  ["Prepared", "its node is gone", "Failed"],
  ["Prepared", "the API server is away", "Completed"],
  ["Prepared", "its location is deleted", "Failed"],
  ["Prepared", "its mover is lost", "Completed"],
  ["Prepared", "the operator dies", "Completed"],
  ["InProgress", "it is canceled", "Canceled"],
  ["InProgress", "it is deleted", "gone"],
  ["InProgress", "its pod is deleted", "Failed"],
  ["InProgress", "the operator dies", "Completed"],
  ["InProgress", "its mover is lost", "Completed"],
  ["InProgress", "its node is gone", "Failed"],
  ["InProgress", "the API server is away", "Completed"],
  ["InProgress", "its location is deleted", "Failed"],
  ["Canceling", "it is deleted", "gone"],
  ["Canceling", "its pod is deleted", "Canceled"],
  ["Canceling", "its node is gone", "Canceled"],
  ["Canceling", "the API server is away", "Canceled"],
  ["Canceling", "its location is deleted", "Canceled"],
  ["Canceling", "the operator dies", "Canceled"],
  ["Canceling", "its mover is lost", "Canceled"],
];

test.each<[DataPathPhase, DataPathPhase]>([
  ["Accepted", "Failed"],
  ["Prepared", "Failed"],
  ["InProgress", "Completed"],
])(
  "a restore into a PVC that is %s when its pod is deleted ends %s",
  {
    timeout: 60_000,
  },
  async (phase, end) => {
    await using world = await new VeleroWorld({ ofClaim: true, restoreFates: [{ type: "goesOn" }] }).start();
    await world.restore("r0");
    if (phase === "Prepared") world.refusing = "InProgress";
    await world.until(`it is ${phase}`, async () => (await phaseOf(world)) === phase);
    await world.removeWorkload("r0");
    world.refusing = undefined;
    await world.turns(3);
    await world.finishMovers();
    await world.settle();
    expect(await phaseOf(world)).toBe(end);
  },
);

test.each(MATRIX)("a restore that is %s when %s ends %s", { timeout: 60_000 }, async (phase, event, end) => {
  await using world = await new VeleroWorld({ restoreFates: [{ type: "goesOn" }] }).start();
  await world.restore("r0");
  // Otherwise it would have gone on by the next look.
  if (phase === "Prepared") world.refusing = "InProgress";
  if (phase === "Canceling") {
    await world.until("it runs", async () => (await phaseOf(world)) === "InProgress");
    await world.cancel("r0");
  }
  await world.until(`it is ${phase}`, async () => (await phaseOf(world)) === phase);
  await EVENTS[event](world);
  world.refusing = undefined;
  await world.turns(3);
  await world.finishMovers();
  await world.settle();
  const restore = await world.find("r0");
  expect(restore?.status?.phase ?? "gone").toBe(end);
  expect(world.ends.get("r0") ?? 0).toBe(end === "gone" ? 0 : 1);
  // What it read is nobody's to delete.
  expect(world.repository.snapshots.map(({ id }) => id)).toEqual(["abc"]);
});
