import { expect, test } from "vitest";
import { resticBackupResource } from "../../../../src/kinds/autorestore/generated/restic_backup.ts";
import { resticRestoreResource } from "../../../../src/kinds/autorestore/generated/restic_restore.ts";
import { AutorestoreWorld } from "./autorestore_world.ts";

test("a restore that waits for a backup of its own PVC does not hold that up", {
  timeout: 120_000,
}, async () => {
  await using world = await new AutorestoreWorld().start();
  await world.claim("data", false);
  await world.bind("data");
  await world.create(resticRestoreResource, "back", { backupName: "first", targetPVC: "data" });
  await world.turns(5);
  await world.create(resticBackupResource, "first", {
    pvcRef: { name: "data" },
    repositoryRef: { name: "nas" },
  });
  await world.until("both have ended", async () => {
    const ended = [...(await world.backups), ...(await world.restores)];
    return ended.every(({ status }) => status?.phase === "Completed");
  });
  expect((await world.restores)[0]?.status?.result).toBe("Restored");
});
