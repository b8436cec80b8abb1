import { expect, test } from "vitest";
import { podVolumeBackupResource } from "../../../kinds/velero/generated/pod_volume_backup.ts";
import { podVolumeRestoreResource } from "../../../kinds/velero/generated/pod_volume_restore.ts";
import { sampleBackup, sampleRestore } from "../data_path/testing/samples.ts";
import { veleroView } from "./velero_view.ts";

const withStatus = (status: object) => ({ ...sampleBackup, status });
const { spec: _, ...withoutSpec } = sampleBackup;
const listed = [
  withoutSpec as typeof sampleBackup,
  withStatus({
    phase: "Completed",
    snapshotID: "abc",
    startTimestamp: "2026-01-01T12:00:00Z",
    progress: { totalBytes: 7 },
  }),
  withStatus({ phase: "InProgress", progress: { bytesDone: 1, totalBytes: 4 } }),
  withStatus({ phase: "Failed", message: "no answer" }),
];

function part() {
  const of = (resource: unknown) =>
    resource === podVolumeBackupResource
      ? listed
      : resource === podVolumeRestoreResource
        ? [sampleRestore]
        : [];
  return veleroView.read({ of, claims: [] } as never, 0);
}

test("what is complete is a snapshot of its PVC", () => {
  expect(part().snapshots()).toMatchObject([
    { claim: "shop/data-web-0", at: "2026-01-01T12:00:00Z", bytes: 7 },
  ]);
});

test("a PVC with a complete backup is protected as far as that goes", () => {
  expect(part().protections()).toMatchObject([
    { claim: "shop/data-web-0", level: "by hand", lastGood: { bytes: 7 }, by: [{ name: "nightly-x1" }] },
  ]);
});

test("what goes on is shown with how far it is, and what failed with why", () => {
  expect(part().activity()).toMatchObject([
    { phase: "InProgress", progress: { bytes: 1, percent: 25 } },
    { object: { kind: "PodVolumeRestore", name: "back-x1" }, phase: "New" },
  ]);
  expect(part().problems()).toMatchObject([{ object: { name: "nightly-x1" }, why: "no answer" }]);
});

test("an object depends on its location, and is not tried again once it has ended", () => {
  expect(veleroView.dependsOn(sampleBackup as never)).toMatchObject([
    { name: { namespace: "velero", name: "default" } },
  ]);
  expect(veleroView.nextTry(withStatus({ phase: "Failed" }) as never, "terminal")).toContain("It has ended");
});
