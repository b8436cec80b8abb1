import { expect, test } from "vitest";
import { backup, config, maintenance, restore, schedule } from "./testing/manifests.ts";
import { MemoryDoor } from "./testing/memory_door.ts";
import { EMPTY_LOOKUP } from "./testing/memory_lookup.ts";

const shared = { repository: { kind: "ClusterRepository", name: "commons" } };
const later = (field: string, target: string) =>
  `${field}: ${target} could not be looked up; the operator checks it later`;

test.each([
  [
    "a BackupConfig",
    config({ spec: { ...shared, mover: { privilegedMode: true } } }),
    [
      later("spec.repository", "ClusterRepository commons"),
      "spec.mover.privilegedMode: whether namespace tenant-a consents is checked later",
      later("spec.sources[0].pvc", "PersistentVolumeClaim tenant-a/data"),
    ],
  ],
  [
    "a BackupConfig with a repository elsewhere",
    config({ spec: { repository: { name: "nas", namespace: "tenant-b" }, sources: [{ pvcSelector: {} }] } }),
    [later("spec.repository", "Repository tenant-b/nas")],
  ],
  ["a backup", backup(), [later("spec.configRef", "BackupConfig tenant-a/data")]],
  ["a schedule", schedule({}), [later("spec.configRef", "BackupConfig tenant-a/data")]],
  ["a restore", restore(), [later("spec.source.backupRef", "Backup tenant-a/first")]],
  ["a maintenance", maintenance(), [later("spec.repository", "Repository tenant-a/nas")]],
])(
  "%s is let in while nothing has been read, and says what was not checked",
  async (_, manifest, warnings) => {
    const door = new MemoryDoor({ lookup: EMPTY_LOOKUP });
    const { verdict } = await door.write(manifest, "stranger");
    expect(verdict).toEqual({ allowed: true, warnings });
  },
);
