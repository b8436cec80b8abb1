import { expect, test } from "vitest";
import { resticBackupResource } from "../../../kinds/autorestore/generated/restic_backup.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { sampleBackup, sampleClaim } from "../testing/samples.ts";
import { autorestoreView } from "./autorestore_view.ts";

const made = (name: string, completionTime: string) =>
  sampleBackup(name, { status: { phase: "Completed", snapshotID: name, completionTime } });
const backups = [made("old", "2026-05-23T00:00:00Z"), made("new", "2026-05-24T00:00:00Z")];
const of = <T extends KubeObject>(resource: Resource<T>) =>
  ((resource as unknown) === resticBackupResource ? backups : []) as unknown as readonly T[];

test("a PVC that is gone is named with its last backup, and what brings it back", () => {
  expect(autorestoreView.read({ of, claims: [] }, 0).problems()).toMatchObject([
    {
      object: { name: "new" },
      why: "PVC home/data is gone, and this is its last backup",
      remedy: expect.stringContaining("create a ResticRestore with backupName: new"),
    },
  ]);
  expect(autorestoreView.read({ of, claims: [sampleClaim("data")] }, 0).problems()).toEqual([]);
});
