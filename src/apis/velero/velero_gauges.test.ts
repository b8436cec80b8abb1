import { expect, test } from "vitest";
import { podVolumeBackupResource } from "../../kinds/velero/generated/pod_volume_backup.ts";
import { podVolumeRestoreResource } from "../../kinds/velero/generated/pod_volume_restore.ts";
import { sampleBackup, sampleRestore } from "./data_path/testing/samples.ts";
import { veleroGauges } from "./velero_gauges.ts";

test("objects are counted by their kind and phase", () => {
  const objects = new Map<unknown, readonly object[]>([
    [podVolumeBackupResource, [sampleBackup, sampleBackup, { ...sampleBackup, status: { phase: "Failed" } }]],
    [podVolumeRestoreResource, [sampleRestore]],
  ]);
  const cache = ({ resource }: { readonly resource: unknown }) => ({
    values: () => (objects.get(resource) ?? []).values(),
  });
  const [gauge] = veleroGauges({ cache: cache as never }, undefined);
  expect([...(gauge?.read() ?? [])]).toEqual([
    { labels: { kind: "PodVolumeBackup", phase: "New" }, value: 2 },
    { labels: { kind: "PodVolumeBackup", phase: "Failed" }, value: 1 },
    { labels: { kind: "PodVolumeRestore", phase: "New" }, value: 1 },
  ]);
});
