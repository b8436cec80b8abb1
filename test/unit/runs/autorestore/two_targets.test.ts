import { expect, test } from "vitest";
import { resticBackupResource } from "../../../../src/kinds/autorestore/generated/restic_backup.ts";
import { AutorestoreWorld } from "./autorestore_world.ts";

const REPOSITORIES = ["nas", "cloud"];

test("backups of one PVC to two targets begin one after the other, and neither takes the other's turn", {
  timeout: 120_000,
}, async () => {
  await using world = await new AutorestoreWorld().start();
  await world.claim("data", false);
  await world.bind("data");
  await world.turns(5);
  const before = world.writes.size;
  for (const name of REPOSITORIES) {
    const spec = { pvcRef: { name: "data" }, repositoryRef: { name } };
    await world.create(resticBackupResource, `to-${name}`, spec);
  }
  const ended = async () => (await world.backups).every(({ status }) => status?.phase === "Completed");
  await world.until("both have ended", ended, 60);
  const writes = [...world.writes.values()].slice(before);
  expect(writes.filter((write) => write.includes("resticbackups")).length).toBeLessThan(30);
});
