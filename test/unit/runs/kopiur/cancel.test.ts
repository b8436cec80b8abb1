import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../../src/kinds/kopiur/annotations.ts";
import type { Backup } from "../../../../src/kinds/kopiur/generated/backup.ts";
import { KopiurWorld, type KopiurWorldOptions } from "./kopiur_world.ts";

const reasonOf = ({ status }: Backup) =>
  status?.conditions?.find(({ type }) => type === "Ready")?.reason ?? "";

interface Moment extends KopiurWorldOptions {
  readonly name: string;
  /** Before the one that is cancelled. */
  readonly before?: (world: KopiurWorld) => Promise<void>;
  readonly spec?: object;
  readonly holds: (backup: Backup) => boolean;
}

const moments: readonly Moment[] = [
  {
    name: "its recipe is not there",
    spec: { configRef: { name: "later" } },
    holds: (backup) => reasonOf(backup) === "ConfigNotFound",
  },
  {
    name: "it is queued",
    maxRuns: 1,
    fates: [{ type: "goesOn" }],
    before: async (world) => {
      await world.backup("other");
      await world.until("the other runs", async () => world.node.started.length > 1);
    },
    holds: (backup) => reasonOf(backup) === "Queued",
  },
  {
    name: "its volume is staged",
    copyMethod: "Snapshot",
    holds: (backup) => reasonOf(backup) === "SnapshotPending" || reasonOf(backup) === "CopyPending",
  },
  {
    name: "its mover runs",
    fates: [{ type: "goesOn" }],
    holds: (backup) => reasonOf(backup) === "Running",
  },
  {
    name: "its mover runs on a copy",
    copyMethod: "Snapshot",
    fates: [{ type: "goesOn" }],
    holds: (backup) => reasonOf(backup) === "Running",
  },
  {
    name: "it waits for its next attempt",
    fates: [{ type: "fails", class: "Locked" }],
    holds: (backup) => reasonOf(backup) === "Locked",
  },
  {
    name: "the repository is asked what a lost attempt left",
    fates: [{ type: "vanishes", sources: 1 }],
    holds: (backup) => backup.status?.work?.snapshot !== undefined && reasonOf(backup) === "Settling",
  },
];

describe.each(moments)("a Backup that is cancelled while $name", (moment) => {
  test("ends as cancelled, frees its seat, and leaves nothing in the cluster", {
    timeout: 60_000,
  }, async () => {
    await using world = await new KopiurWorld(moment).start();
    await world.turns(3);
    await moment.before?.(world);
    await world.backup("one", moment.spec);
    const one = async () => (await world.backups()).find(({ metadata }) => metadata.name === "one") as Backup;
    await world.until(moment.name, async () => moment.holds(await one()), 100);
    await world.annotate("one", { [ANNOTATIONS.cancel]: "true" });
    await world.until("it has ended", async () => (await one()).status?.phase === "Failed", 100);
    await world.turns(3);
    const { metadata, status } = await one();
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Stalled", status: "True", reason: "Cancelled" }),
    );
    expect(JSON.stringify(status?.work)).not.toContain('"place"');
    // What ran may be looked at for ten minutes.
    await world.lifetimesPass();
    const left = (await world.leftovers()).filter((text) => !text.includes("other"));
    expect(left).toEqual([]);
    expect(metadata.name).toBe("one");
    // What a cancelled run had made by then is known, and goes with the Backup.
    await world.delete("one");
    await world.until(
      "it is gone",
      async () => (await world.backups()).every((b) => b.metadata.name !== "one"),
      200,
    );
    expect(world.repository.snapshots.filter(({ run }) => run?.startsWith("one"))).toEqual([]);
  });
});
