import { expect, test } from "vitest";
import { resticRepositoryResource } from "../../../../src/kinds/autorestore/generated/restic_repository.ts";
import { Events } from "../../../../src/kube/builtin.ts";
import { AutorestoreWorld } from "./autorestore_world.ts";

test("damage that a run met is over once a verification has read all data, and maintenance goes on", {
  timeout: 120_000,
}, async () => {
  await using world = await new AutorestoreWorld({
    restoreFates: [{ type: "fails", class: "Corrupt" }],
  }).start();
  world.keepSnapshot("data");
  await world.client.patch(
    resticRepositoryResource,
    { namespace: "home", name: "nas" },
    { type: "merge", patch: { spec: { maintenanceSchedule: { verification: "*/5 * * * *" } } } },
  );
  await world.claim("data");
  const nas = async () => {
    const { status } = await world.client.get(resticRepositoryResource, { namespace: "home", name: "nas" });
    return { ...status, intact: status?.conditions?.find(({ type }) => type === "Intact") };
  };
  await world.until("the damage is known", async () => (await nas()).intact?.status === "False");
  expect(await nas()).toMatchObject({
    phase: "Unknown",
    error: expect.stringMatching(
      /^A run read damaged data.*: the operator does that at the next time of spec\.maintenanceSchedule\.verification, or of prune\.$/,
    ),
  });
  await world.until("it is over", async () => (await nas()).phase === "Ready");
  expect(world.repository.checks).toEqual([100]);
  expect((await nas()).intact).toMatchObject({ status: "True", reason: "Checked" });
  expect((await world.all(Events)).map(({ reason }) => reason)).toContain("Intact");
  await world.until("the next one reads a part", async () => world.repository.checks.length === 2);
  expect(world.repository.checks).toEqual([100, 5]);
});
