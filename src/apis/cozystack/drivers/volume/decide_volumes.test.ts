import { describe, expect, test } from "vitest";
import type { Volume } from "../../../../kinds/cozystack/generated/volume.ts";
import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import { sha256 } from "../../../../lib/hash.ts";
import { sampleClaim as claim, meta, sampleBackup } from "../../testing/samples.ts";
import { backupWork, removalWork, sampleVolume } from "../../testing/works.ts";
import { configName, decideRemoval, decideVolumes, nativeBackupName } from "./decide_volumes.ts";
import { MADE_FOR, type NativeObjects } from "./native_objects.ts";
import { METADATA } from "./volume_record.ts";

const NOTHING: NativeObjects = {
  backup: () => undefined,
  restore: () => undefined,
  keepingDown: () => [],
};
const work = backupWork(sampleVolume());
const name = nativeBackupName(work.object);
const native = (status: object, uid = work.object.metadata.uid) =>
  ({
    metadata: meta(name, "tenant", { annotations: { [MADE_FOR]: uid } }),
    spec: {},
    status,
  }) as unknown as Backup;
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

  test("says what the Backup lacks", () => {
    const losses = [
      { kind: "Socket", count: 2, reason: "not stored" },
      { kind: "Unreadable", count: 1, reason: "no permission" },
    ];
    const lacks = "Not in the backup: 2 × Socket (not stored), 1 × Unreadable (no permission).";
    expect(following(native({ phase: "Succeeded", snapshots: [{ root: "k1" }], losses }))).toMatchObject({
      type: "Succeeded",
      message: `1 volume is backed up. ${lacks}`,
      lacks,
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

describe("the deletion of a Backup", () => {
  const object = sampleBackup("first", { driverMetadata: { [METADATA.backup]: name } });
  const remove = (found: Backup | undefined) =>
    decideRemoval(removalWork<Volume>(undefined, { object }), { ...NOTHING, backup: () => found });

  test("by the operator's retention is told to the native API", () => {
    const { metadata } = object;
    const annotations = { "backups.cozystack.io/deletion-reason": "Retention" };
    const marked = { ...object, metadata: { ...metadata, annotations } };
    const work = removalWork<Volume>(undefined, { object: marked });
    expect(decideRemoval(work, { ...NOTHING, backup: () => native({}) })).toMatchObject({
      intents: [{ type: "Delete", mark: "Retention" }],
    });
  });

  test("deletes the native Backup, waits for it, and is over with it", () => {
    expect(remove(native({}))).toMatchObject({ type: "Running", intents: [{ type: "Delete" }] });
    const going = native({});
    const leaving = { ...going, metadata: { ...going.metadata, deletionTimestamp: "2026-05-24T12:00:00Z" } };
    expect(remove(leaving)).toMatchObject({ type: "Running" });
    expect(remove(undefined)).toMatchObject({ type: "Succeeded" });
  });
});
