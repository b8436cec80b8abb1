import { expect, test } from "vitest";
import { podVolumeBackupResource } from "../../src/kinds/velero/generated/pod_volume_backup.ts";
import { withWorld } from "../scenarios/with_world.ts";
import { HOME, VeleroStage } from "./velero_stage.ts";

let there: VeleroStage;

withWorld(VeleroStage.enter, (opened) => {
  there = opened;
});

test("a Velero server backs up, restores and deletes with Holdfast as its data path", {
  timeout: 600_000,
}, async () => {
  const { world } = there;
  await there.useOurAgent();
  const before = await there.workload();
  await there.backUp("ours");
  const { items } = await world.client.list(podVolumeBackupResource, { namespace: HOME });
  expect(items.map(({ spec }) => spec.volume).toSorted()).toEqual(["data", "scratch"]);
  expect(await there.snapshots()).toEqual(items.map(({ status }) => status?.snapshotID).toSorted());

  expect(await there.differencesOfRestore("ours", before)).toEqual([]);

  await there.deleteBackup("ours");
  expect(await there.snapshots()).toEqual([]);
});

test("Velero's node agent and Holdfast restore what the other has backed up", {
  timeout: 600_000,
}, async () => {
  const { world } = there;
  await there.useOurAgent();
  const before = await there.workload();
  await there.backUp("by-holdfast");

  await world.operator.away(async () => {
    await there.useTheirAgent();
    expect(await there.differencesOfRestore("by-holdfast", before)).toEqual([]);
    await there.backUp("by-velero");
    await there.useOurAgent();
  });

  expect(await there.differencesOfRestore("by-velero", before)).toEqual([]);
  expect(await there.snapshots()).toHaveLength(4);
  await there.deleteBackup("by-holdfast");
  expect(await there.snapshots()).toHaveLength(2);
  await there.deleteBackup("by-velero");
  expect(await there.snapshots()).toEqual([]);
});
