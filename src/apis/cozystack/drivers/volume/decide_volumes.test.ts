import { describe, expect, test } from "vitest";
import type { Claim } from "../../../../core/volumes/claim_request.ts";
import type { Volume } from "../../../../kinds/cozystack/generated/volume.ts";
import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import type { Restore } from "../../../../kinds/kopiur/generated/restore.ts";
import { sha256 } from "../../../../lib/hash.ts";
import { sampleBackup } from "../../testing/samples.ts";
import { backupWork, removalWork, restoreWork, sampleVolume } from "../../testing/works.ts";
import {
  configName,
  decideRemoval,
  decideRestores,
  decideVolumes,
  MADE_FOR,
  type NativeObjects,
  nativeBackupName,
} from "./decide_volumes.ts";
import { METADATA } from "./volume_record.ts";

const meta = (name: string, more: object = {}) => ({
  name,
  namespace: "tenant",
  uid: `uid-${name}`,
  resourceVersion: "1",
  creationTimestamp: "2026-05-24T11:59:00Z",
  ...more,
});
const claim = (name: string): Claim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: meta(name, { labels: { "app.kubernetes.io/instance": "db" } }),
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "5Gi" } },
    storageClassName: "fast",
  },
});
const NOTHING: NativeObjects = { backup: () => undefined, restore: () => undefined };
const work = backupWork(sampleVolume());
const name = nativeBackupName(work.object);
const native = (status: object, uid = work.object.metadata.uid) =>
  ({ metadata: meta(name, { annotations: { [MADE_FOR]: uid } }), spec: {}, status }) as unknown as Backup;
const following = (backup: Backup) =>
  decideVolumes({ work, claims: [], native: { ...NOTHING, backup: () => backup } });

describe("a backup of volumes", () => {
  test("begins with one BackupConfig for all of them, and one Backup", () => {
    const step = decideVolumes({ work, claims: [claim("data-db-0"), claim("data-db-1")], native: NOTHING });
    expect(step).toMatchObject({
      type: "Running",
      message: "Backing up data-db-0, data-db-1.",
      intents: [
        {
          type: "Apply",
          draft: {
            metadata: { name: configName(work), namespace: "tenant" },
            spec: {
              repository: { kind: "ClusterRepository", name: "offsite" },
              sources: [{ pvc: { name: "data-db-0" } }, { pvc: { name: "data-db-1" } }],
              groupBy: "VolumeGroupSnapshot",
            },
          },
        },
        {
          type: "Ensure",
          draft: {
            metadata: { name },
            spec: { configRef: { name: configName(work) }, deletionPolicy: "Delete" },
          },
        },
      ],
    });
  });

  test("of one volume needs no group", () => {
    const step = decideVolumes({ work, claims: [claim("data-db-0")], native: NOTHING });
    expect(step).toMatchObject({ intents: [{ draft: { spec: { groupBy: "None" } } }, {}] });
  });

  test.each([
    ["nothing to back up", [], "NoVolumes"],
    [
      "more volumes than a Backup holds",
      Array.from({ length: 17 }, (_, i) => claim(`data-${i}`)),
      "TooManyVolumes",
    ],
    [
      "volumes that it cannot describe",
      Array.from({ length: 16 }, (_, i) => claim(`${"long-".repeat(40)}${i}`)),
      "TooManyVolumes",
    ],
  ])("fails with %s", (_, claims, reason) => {
    expect(decideVolumes({ work, claims, native: NOTHING })).toMatchObject({ type: "Failed", reason });
  });

  test("fails with a template that names what is not there", () => {
    const wrong = backupWork(sampleVolume({ volumes: { release: "{{ .Parameters.none }}" } }));
    expect(decideVolumes({ work: wrong, claims: [], native: NOTHING })).toEqual({
      type: "Failed",
      reason: "TemplateFailed",
      message: "spec.volumes.release: {{ .Parameters.none }} has no value. Correct the Volume it.",
    });
  });

  test("goes on while the Backup does, in its words", () => {
    const conditions = [{ type: "Ready", status: "False", reason: "Queued", message: "Queued: 1 running" }];
    expect(following(native({ phase: "Running", conditions }))).toMatchObject({
      type: "Running",
      message: "Queued: 1 running",
    });
  });

  test("fails with the Backup, and with one that is another's", () => {
    const conditions = [{ type: "Ready", status: "False", reason: "x", message: "no room" }];
    expect(following(native({ phase: "Failed", conditions }))).toMatchObject({
      type: "Failed",
      message: expect.stringContaining("no room"),
    });
    expect(following(native({ phase: "Succeeded" }, "other"))).toMatchObject({
      type: "Failed",
      reason: "NameTaken",
    });
  });

  test("ends with what a restore needs, and with the artifact", () => {
    const status = {
      phase: "Succeeded",
      timing: { startTime: "2026-05-24T11:59:40Z" },
      stats: { sizeBytes: 12 },
      snapshots: [{ root: "k1" }, { root: "k2" }],
    };
    const done = backupWork(sampleVolume(), { state: { volumes: "[1]" } });
    expect(
      decideVolumes({ work: done, claims: [], native: { ...NOTHING, backup: () => native(status) } }),
    ).toEqual({
      type: "Succeeded",
      message: "2 volumes are backed up.",
      takenAt: "2026-05-24T11:59:40Z",
      metadata: { [METADATA.backup]: name, [METADATA.volumes]: "[1]" },
      artifact: {
        uri: `holdfast://ClusterRepository/offsite/tenant/${name}`,
        sizeBytes: 12,
        checksum: `sha256:${sha256("k1\nk2")}`,
      },
    });
  });
});

describe("a restore of volumes", () => {
  const volumes = JSON.stringify([
    { name: "data-db-0", capacity: "5Gi", modes: ["ReadWriteOnce"], class: "fast", labels: { app: "db" } },
  ]);
  const backup = sampleBackup("first", {
    driverMetadata: { [METADATA.backup]: "native", [METADATA.volumes]: volumes },
  });
  const restore = (status: object) =>
    ({
      metadata: meta("again-data-db-0", { annotations: { [MADE_FOR]: "uid-again" } }),
      spec: {},
      status,
    }) as unknown as Restore;
  const decide = (claims: readonly Claim[], more: object = {}, found?: Restore) =>
    decideRestores({
      work: restoreWork(sampleVolume(), { backup, ...more }),
      claims,
      native: { ...NOTHING, restore: () => found },
    });

  test("writes over a volume that is there, and deletes what the Backup does not hold", () => {
    expect(decide([claim("data-db-0")])).toMatchObject({
      type: "Running",
      intents: [
        {
          type: "Ensure",
          draft: {
            metadata: {
              name: "again-data-db-0",
              ownerReferences: [{ kind: "RestoreJob", uid: "uid-again" }],
            },
            spec: {
              source: { backupRef: { name: "native", pvc: "data-db-0" } },
              target: { pvcRef: { name: "data-db-0", scaleDownWorkloads: true } },
              options: { enableFileDeletion: true },
            },
          },
        },
      ],
    });
  });

  test("makes a volume that is gone anew", () => {
    expect(decide([])).toMatchObject({
      intents: [
        {
          draft: {
            spec: { target: { pvc: { name: "data-db-0", capacity: "5Gi", storageClassName: "fast" } } },
          },
        },
      ],
    });
  });

  test("into another application makes volumes of its own, with its labels", () => {
    const applicationRef = { apiGroup: "apps.cozystack.io", kind: "Postgres", name: "copy" };
    expect(decide([claim("data-db-0")], { applicationRef })).toMatchObject({
      intents: [{ draft: { spec: { target: { pvc: { name: "data-copy-0", labels: { app: "copy" } } } } } }],
    });
  });

  test("into another namespace is done there, from the Backup here, and belongs to nothing there", () => {
    const step = decide([], { targetNamespace: "other" });
    expect(step).toMatchObject({
      intents: [
        {
          draft: {
            metadata: {
              name: "tenant-again-data-db-0",
              namespace: "other",
              annotations: { "backups.cozystack.io/job": "RestoreJob/tenant/again" },
            },
            spec: { source: { backupRef: { name: "native", namespace: "tenant", pvc: "data-db-0" } } },
          },
        },
      ],
    });
    expect(JSON.stringify(step)).not.toContain("ownerReferences");
  });

  test.each([
    ["goes on", { phase: "Restoring" }, { type: "Running" }],
    ["has failed", { phase: "Failed" }, { type: "Failed", reason: "RestoreFailed" }],
    ["has ended", { phase: "Completed" }, { type: "Succeeded", message: "1 volume is restored." }],
  ])("%s with its Restores", (_, status, step) => {
    expect(decide([claim("data-db-0")], {}, restore(status))).toMatchObject(step);
  });

  test("fails without the metadata of its Backup", () => {
    expect(decide([], { backup: sampleBackup("first") })).toMatchObject({
      type: "Failed",
      reason: "MetadataMissing",
    });
  });
});

describe("the deletion of a Backup", () => {
  const object = sampleBackup("first", { driverMetadata: { [METADATA.backup]: name } });
  const remove = (found: Backup | undefined) =>
    decideRemoval(removalWork<Volume>(undefined, { object }), { ...NOTHING, backup: () => found });

  test("deletes the native Backup, waits for it, and is over with it", () => {
    expect(remove(native({}))).toMatchObject({ type: "Running", intents: [{ type: "Delete" }] });
    const going = native({});
    const leaving = { ...going, metadata: { ...going.metadata, deletionTimestamp: "2026-05-24T12:00:00Z" } };
    expect(remove(leaving)).toMatchObject({ type: "Running" });
    expect(remove(undefined)).toMatchObject({ type: "Succeeded" });
  });
});
