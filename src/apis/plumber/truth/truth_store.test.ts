import { describe, expect, test } from "vitest";
import { defaultIdentity } from "../policy/backup_identity.ts";
import { sampleWorld } from "../testing/sample_world.ts";

const DATA = defaultIdentity("media", "data");
const KNOWN = new Map([["media/data", { newestAt: "2026-01-01T00:00:00Z" }]]);

describe("TruthStore", () => {
  test("knows nothing before the list was read", () => {
    const { world, publish } = sampleWorld();
    expect(world.truth.answer(DATA)).toMatchObject({ answer: "unknown" });
    publish(new Map(), {
      readAt: undefined,
      problem: { reason: "RepositoryNotFound", message: "It is not there." },
    });
    expect(world.truth.answer(DATA)).toEqual({
      answer: "unknown",
      reason: "RepositoryNotFound",
      message: "It is not there.",
    });
  });

  test("says yes and no of what was published", () => {
    const { world, publish } = sampleWorld();
    publish(KNOWN);
    expect(world.truth.answer(DATA)).toEqual({
      answer: "yes",
      newestAt: "2026-01-01T00:00:00Z",
      stale: false,
    });
    expect(world.truth.answer(defaultIdentity("media", "other"))).toEqual({ answer: "no", stale: false });
  });

  test("is stale after twice the interval, and fresh again with the next list", async () => {
    const { world, publish, clock } = sampleWorld({ refreshInterval: "60s" });
    publish(KNOWN);
    await clock.advance(120_000);
    expect(world.truth.answer(DATA)).toMatchObject({ answer: "yes", stale: false });
    await clock.advance(1);
    expect(world.truth.answer(DATA)).toMatchObject({ answer: "yes", stale: true });
    publish(KNOWN);
    expect(world.truth.answer(DATA)).toMatchObject({ answer: "yes", stale: false });
  });

  test("counts the age of a list that was there before by the time that it was read", async () => {
    const { world, publish, clock } = sampleWorld();
    await clock.advance(600_000);
    publish(KNOWN, { readAt: new Date(clock.now() - 300_000).toISOString() });
    expect(world.truth.stale).toBe(true);
  });

  test("says nothing by a list of another repository", () => {
    const { world, publish } = sampleWorld();
    publish(KNOWN, { repository: "ClusterRepository other" });
    expect(world.truth.answer(DATA)).toMatchObject({ answer: "unknown", reason: "NotRead" });
  });

  test("says nothing while shard and head do not belong together", () => {
    const { world, publish } = sampleWorld();
    publish(KNOWN, { shards: Array.from({ length: 16 }, () => "other") });
    expect(world.truth.answer(defaultIdentity("media", "b"))).toMatchObject({ answer: "unknown" });
  });

  test.each([
    [{ unusable: true } as const, "OnlyUnusableSnapshots"],
    [{ missingSince: "2026-01-01T00:00:00.000Z" }, "BackupsMissing"],
  ])("doubts %j", (known, reason) => {
    const { world, publish } = sampleWorld();
    publish(new Map([["media/data", known]]));
    expect(world.truth.answer(DATA)).toMatchObject({ answer: "unknown", reason });
  });
});
