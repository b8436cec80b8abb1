import { expect, test } from "vitest";
import { resticBackupResource } from "../../../../src/kinds/autorestore/generated/restic_backup.ts";
import { resticRestoreResource } from "../../../../src/kinds/autorestore/generated/restic_restore.ts";
import { AutorestoreWorld } from "./autorestore_world.ts";

test("without a webhook nothing is restored into the PVC of a repository, and none is backed up", {
  timeout: 120_000,
}, async () => {
  await using world = await new AutorestoreWorld().start();
  world.keepSnapshot("store-cloud");
  await world.create(resticRestoreResource, "over", {
    targetPVC: "store-cloud",
    backupTarget: { repository: { name: "nas" } },
  });
  await world.create(resticBackupResource, "of", {
    pvcRef: { name: "store-cloud" },
    repositoryRef: { name: "nas" },
  });
  const said = async () =>
    [...(await world.restores), ...(await world.backups)].map(
      ({ status }) => status?.conditions?.find(({ type }) => type === "Ready")?.message ?? "",
    );
  const why = "it holds the backups of ResticRepository home/cloud";
  await world.until("both are refused", async () => (await said()).every((text) => text.includes(why)), 60);
  await world.turns(60);
  const wrote = world.node.started.filter((run) => /^(over|of)-/.test(run) && !run.startsWith("over-ask-"));
  expect(wrote).toEqual([]);
});
