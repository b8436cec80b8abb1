import { expect, test } from "vitest";
import { KopiurWorld } from "./kopiur_world.ts";

test("Backups wait for their turn, say so, and all come to their end", { timeout: 60_000 }, async () => {
  await using world = await new KopiurWorld({ maxRuns: 2 }).start();
  for (let i = 0; i < 6; i++) await world.backup(`b${i}`);
  const reasons = new Set<string>();
  await world.until("all have succeeded", async () => {
    const backups = await world.backups();
    for (const { status } of backups)
      for (const { type, reason } of status?.conditions ?? []) if (type === "Ready") reasons.add(reason);
    return backups.every(({ status }) => status?.phase === "Succeeded");
  });
  expect(reasons).toContain("Queued");
  expect(world.mostMovers).toBe(2);
  expect(world.repository.snapshots).toHaveLength(6);
  expect(world.clock.monotonic()).toBeLessThan(60_000);
});
