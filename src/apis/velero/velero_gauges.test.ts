import { expect, test } from "vitest";
import { podVolumeBackupResource } from "../../kinds/velero/generated/pod_volume_backup.ts";
import { podVolumeRestoreResource } from "../../kinds/velero/generated/pod_volume_restore.ts";
import { sampleBackup, sampleRestore } from "./data_path/testing/samples.ts";
import { veleroGauges } from "./velero_gauges.ts";

function told(name: string, backups: readonly object[], restores: readonly object[]) {
  const objects = new Map<unknown, readonly object[]>([
    [podVolumeBackupResource, backups],
    [podVolumeRestoreResource, restores],
  ]);
  const cache = ({ resource }: { readonly resource: unknown }) => ({
    values: () => (objects.get(resource) ?? []).values(),
  });
  const gauge = veleroGauges({ cache: cache as never }, undefined).find((one) => one.name === name);
  return [...(gauge?.read() ?? [])];
}

test("objects are counted by their kind and phase", () => {
  const failed = { ...sampleBackup, status: { phase: "Failed" } };
  const backups = [sampleBackup, sampleBackup, failed];
  expect(told("velero_pod_volume_objects", backups, [sampleRestore])).toEqual([
    { labels: { kind: "PodVolumeBackup", phase: "New" }, value: 2 },
    { labels: { kind: "PodVolumeBackup", phase: "Failed" }, value: 1 },
    { labels: { kind: "PodVolumeRestore", phase: "New" }, value: 1 },
  ]);
});

const at = (hour: number) => `2026-01-01T${hour}:00:00Z`;
const seconds = (hour: number) => Date.parse(at(hour)) / 1000;
const labels = (kind: string) => ({ kind, namespace: "velero", pod_namespace: "shop" });

test("the newest failure is told by kind and namespace, whatever else ended", () => {
  const ended = (phase: string, hour: number) => ({ status: { phase, completionTimestamp: at(hour) } });
  const backups = [
    { ...sampleBackup, ...ended("Failed", 13) },
    { ...sampleBackup, ...ended("Failed", 12) },
    { ...sampleBackup, ...ended("Completed", 15) },
    { ...sampleBackup, ...ended("Canceled", 15) },
  ];
  const restores = [{ ...sampleRestore, ...ended("Failed", 14) }, sampleRestore];
  expect(told("velero_pod_volume_last_failure_timestamp_seconds", backups, restores)).toEqual([
    { labels: labels("PodVolumeBackup"), value: seconds(13) },
    { labels: labels("PodVolumeRestore"), value: seconds(14) },
  ]);
});

test("it is told since when the oldest object is being prepared", () => {
  const accepted = (phase: string, hour: number) => ({ status: { phase, acceptedTimestamp: at(hour) } });
  const backups = [
    { ...sampleBackup, ...accepted("Accepted", 13) },
    { ...sampleBackup, ...accepted("Prepared", 12) },
    { ...sampleBackup, ...accepted("InProgress", 11) },
    { ...sampleBackup, ...accepted("Failed", 11) },
    sampleBackup,
  ];
  expect(told("velero_pod_volume_preparing_since_timestamp_seconds", backups, [sampleRestore])).toEqual([
    { labels: labels("PodVolumeBackup"), value: seconds(12) },
  ]);
});

test("an object without a spec is told all the same", () => {
  const { spec: _, ...bare } = sampleBackup;
  const failed = { ...bare, status: { phase: "Failed", completionTimestamp: at(12) } };
  expect(told("velero_pod_volume_last_failure_timestamp_seconds", [failed], [])).toEqual([
    { labels: { ...labels("PodVolumeBackup"), pod_namespace: "" }, value: seconds(12) },
  ]);
});
