import { expect, test } from "vitest";
import { repositoryResource } from "../../../../src/kinds/kopiur/generated/repository.ts";
import type { Fate } from "../fake_node.ts";
import { KopiurWorld } from "./kopiur_world.ts";

const away: Fate = { type: "fails", class: "Unreachable" };

test("while the storage is away work waits instead of failing, and goes on once it is back", {
  timeout: 120_000,
}, async () => {
  await using world = await new KopiurWorld({
    maxRuns: 3,
    fates: Array.from({ length: 6 }, () => away),
  }).start();
  for (let i = 0; i < 8; i++) await world.backup(`b${i}`);
  await world.until("the breaker is open", async () => (await world.nas()).status?.breaker?.state === "Open");
  const nas = await world.nas();
  expect(nas.status?.breaker).toMatchObject({ errorClass: "Unreachable", consecutiveFailures: 3 });
  expect(nas.status?.conditions).toContainEqual(
    expect.objectContaining({ type: "StorageHealthy", status: "False", reason: "BreakerOpen" }),
  );
  await world.turns(5);
  const waiting = (await world.backups()).filter(({ status }) =>
    status?.conditions?.some(({ type, reason }) => type === "Ready" && reason === "BreakerOpen"),
  );
  expect(waiting.length).toBeGreaterThan(0);
  await world.stopOperator();
  await world.turns(3);
  expect((await world.nas()).status?.breaker?.state).not.toBe("Closed");
  await world.until("all have succeeded", async () =>
    (await world.backups()).every(({ status }) => status?.phase === "Succeeded"),
  );
  // Three failed, then one at a time looked, in vain three times more.
  expect(world.node.started.filter((run) => run.includes("snapshot") && !run.includes("settle")).length).toBe(
    14,
  );
  const after = (await world.nas()).status;
  expect(after?.breaker).toEqual({ state: "Closed", consecutiveFailures: 0 });
  expect(after?.conditions).toContainEqual(
    expect.objectContaining({ type: "StorageHealthy", status: "True", reason: "BreakerClosed" }),
  );
});

test("an edit of the repository connects to it anew, and work goes on at once", {
  timeout: 60_000,
}, async () => {
  await using world = await new KopiurWorld({ maxRuns: 3, fates: [away, away, away] }).start();
  for (const name of ["a", "b", "c"]) await world.backup(name);
  const stateOf = async () => (await world.nas()).status?.breaker?.state;
  await world.until("the breaker is open", async () => (await stateOf()) === "Open");
  const { metadata } = await world.nas();
  const patch = { spec: { concurrency: { maxRuns: 2 } } };
  await world.client.patch(repositoryResource, metadata, { type: "merge", patch } as never);
  await world.until("the breaker is closed", async () => (await stateOf()) === "Closed", 10);
});
