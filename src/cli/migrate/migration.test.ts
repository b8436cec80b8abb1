import { describe, expect, test } from "vitest";
import { backupConfigSchema } from "../../kinds/kopiur/generated/backup_config.ts";
import { backupScheduleSchema } from "../../kinds/kopiur/generated/backup_schedule.ts";
import { repositorySchema } from "../../kinds/kopiur/generated/repository.ts";
import { restoreSchema } from "../../kinds/kopiur/generated/restore.ts";
import type { KubeObject } from "../../kube/object.ts";
import { migrate } from "./migration.ts";
import { backendOf } from "./repository_address.ts";

const volsync = (kind: string, name: string, spec: object) =>
  ({
    apiVersion: "volsync.backube/v1alpha1",
    kind,
    metadata: { namespace: "media", name },
    spec,
  }) as unknown as KubeObject;

const restic = volsync("ReplicationSource", "photos", {
  sourcePVC: "photos",
  trigger: { schedule: "@daily" },
  restic: {
    repository: "photos-restic",
    copyMethod: "Snapshot",
    pruneIntervalDays: 7,
    retain: { daily: 7, weekly: 4, within: "3d" },
    volumeSnapshotClassName: "csi",
    cacheCapacity: "2Gi",
    moverSecurityContext: { runAsUser: 568, runAsGroup: 568, fsGroup: 568 },
    customCA: { configMapName: "ca", key: "ca.crt" },
    shiny: { new: true },
  },
});
const kopia = volsync("ReplicationSource", "books", {
  sourcePVC: "library",
  trigger: { manual: "once" },
  kopia: {
    repository: "shared-kopia",
    compression: "zstd",
    parallelism: 2,
    hostname: "old-host",
    copyMethod: "None",
  },
});
const addresses = new Map([
  ["media/photos-restic", { RESTIC_REPOSITORY: "s3:https://minio.lan:9000/backups/photos" }],
  ["media/shared-kopia", { KOPIA_REPOSITORY: "s3://bucket/prod", AWS_S3_ENDPOINT: "minio.lan:9000" }],
]);

describe("migrate()", () => {
  test("a restic source becomes an adopted repository, a recipe and a schedule", () => {
    const { manifests } = migrate({ objects: [restic], addresses });
    expect(manifests).toMatchObject([
      {
        kind: "Repository",
        metadata: { namespace: "media", name: "photos-restic" },
        spec: {
          engine: "restic",
          create: { enabled: false },
          backend: {
            s3: {
              bucket: "backups",
              prefix: "photos/",
              endpoint: "https://minio.lan:9000",
              auth: { secretRef: { name: "photos-restic" } },
              tls: { caBundleRef: { configMapName: "ca", key: "ca.crt" } },
            },
          },
          encryption: { passwordSecretRef: { name: "photos-restic", key: "RESTIC_PASSWORD" } },
        },
      },
      {
        kind: "BackupConfig",
        spec: {
          repository: { name: "photos-restic" },
          identity: { hostname: "volsync", username: "photos" },
          sources: [{ pvc: { name: "photos" }, sourcePathOverride: "/data" }],
          copyMethod: "Snapshot",
          volumeSnapshotClassName: "csi",
          retention: { keepDaily: 7, keepWeekly: 4 },
          defaultDeletionPolicy: "Retain",
          mover: {
            securityContext: { runAsUser: 568, runAsGroup: 568 },
            supplementalGroups: [568],
            cache: { capacity: "2Gi" },
          },
        },
      },
      { kind: "BackupSchedule", spec: { configRef: { name: "photos" }, schedule: { cron: "0 0 * * *" } } },
    ]);
  });

  test.each([
    ["Retain", "Deleting a Backup keeps its snapshots, as with VolSync"],
    ["Orphan", "Deleting a Backup keeps its snapshots, as with VolSync"],
    ["Delete", "Deleting a Backup deletes its snapshots in the repository, which VolSync never did"],
  ] as const)("says first what deletion does: %s", (deletionPolicy, said) => {
    const { manifests, notes } = migrate({ objects: [kopia], addresses, deletionPolicy });
    expect(notes[0]).toContain(`${said}: the BackupConfigs say defaultDeletionPolicy: ${deletionPolicy}.`);
    expect(manifests).toContainEqual(
      expect.objectContaining({
        kind: "BackupConfig",
        spec: expect.objectContaining({ defaultDeletionPolicy: deletionPolicy }),
      }),
    );
  });

  test("every field is accounted for, also one that nobody knows", () => {
    const { accounts } = migrate({ objects: [restic], addresses });
    const fields = new Map(accounts[0]?.fields.map((one) => [one.field, one]));
    expect(fields.get("spec.restic.retain.daily")).toMatchObject({
      became: "BackupConfig spec.retention.keepDaily",
    });
    expect(fields.get("spec.restic.retain.within")).toMatchObject({ lost: true });
    expect(fields.get("spec.restic.pruneIntervalDays")).toMatchObject({
      lost: true,
      became: "the repository's Maintenance cleans up with its full runs, once a week by default",
    });
    expect(fields.get("spec.restic.shiny.new")).toMatchObject({
      lost: true,
      became: expect.stringContaining("by hand"),
    });
    expect([...fields.keys()].filter((field) => field.startsWith("spec.trigger"))).toEqual([
      "spec.trigger.schedule",
    ]);
  });

  test("a kopia source keeps the identity that its snapshots have, and without cron it has no schedule", () => {
    const { manifests } = migrate({ objects: [kopia], addresses });
    expect(manifests.map(({ kind }) => kind)).toEqual(["Repository", "BackupConfig"]);
    expect(manifests[1]?.spec).toMatchObject({
      identity: { username: "books", hostname: "old-host" },
      copyMethod: "Direct",
      policy: { compression: { compressor: "zstd" } },
      mover: { parallel: 2 },
    });
  });

  test.each<[what: string, spec: object, wanted: object]>([
    [
      "that claims name",
      {
        kopia: {
          repository: "shared-kopia",
          copyMethod: "Snapshot",
          capacity: "5Gi",
          previous: 2,
          trigger: {},
        },
      },
      { source: { identity: { username: "dst", hostname: "media", sourcePath: "/data", offset: 2 } } },
    ],
    [
      "into a claim of its own",
      {
        kopia: {
          repository: "shared-kopia",
          destinationPVC: "here",
          sourceIdentity: { sourceName: "a", sourceNamespace: "b" },
        },
      },
      {
        source: { identity: { username: "a", hostname: "b" } },
        target: { pvcRef: { name: "here" } },
        options: { existingFiles: "Refuse" },
      },
    ],
    [
      "into a new claim",
      {
        kopia: {
          repository: "shared-kopia",
          copyMethod: "Direct",
          capacity: "5Gi",
          enableFileDeletion: true,
        },
      },
      {
        target: { pvc: { name: "dst", capacity: "5Gi", accessModes: ["ReadWriteOnce"] } },
        options: { enableFileDeletion: true },
      },
    ],
  ])("a destination %s becomes a Restore", (_, spec, wanted) => {
    const { manifests } = migrate({ objects: [volsync("ReplicationDestination", "dst", spec)], addresses });
    expect(manifests.at(-1)).toMatchObject({ kind: "Restore", metadata: { name: "dst" }, spec: wanted });
    expect(manifests.at(-1)?.spec).toHaveProperty("target" in wanted ? "target" : "source");
  });

  test("a restic destination is about the recipe of its repository, in whatever order they come", () => {
    const destination = volsync("ReplicationDestination", "dst", {
      restic: { repository: "photos-restic", restoreAsOf: "2026-01-01T00:00:00Z" },
    });
    const { manifests, notes } = migrate({ objects: [destination, restic], addresses });
    expect(manifests.at(-1)?.spec).toMatchObject({
      source: { fromConfig: { name: "photos", asOf: "2026-01-01T00:00:00Z" } },
    });
    expect(notes.join("\n")).not.toContain("check that");
  });

  describe("a destination gets no other volume's data", () => {
    const source = (name: string, kopia: object = {}) =>
      volsync("ReplicationSource", name, {
        sourcePVC: name,
        kopia: { repository: "shared-kopia", ...kopia },
      });
    const otherPhotos = volsync("ReplicationSource", "more", {
      sourcePVC: "more",
      restic: { repository: "photos-restic" },
    });
    const wanted = (mover: string, repository: string) =>
      volsync("ReplicationDestination", "books", { [mover]: { repository } });
    const own = (hostname: string) => ({ identity: { username: "books", hostname, sourcePath: "/data" } });
    test.each<[what: string, objects: readonly KubeObject[], source: object, note: string | undefined]>([
      ["the only source has its identity", [source("books")], { fromConfig: { name: "books" } }, undefined],
      ["the only source has another name", [source("films")], own("media"), "check that"],
      ["the only source has another host", [kopia], own("media"), "check that"],
      [
        "the only source has another path",
        [source("books", { sourcePathOverride: "/x" })],
        own("media"),
        "check that",
      ],
      [
        "several share the repository",
        [source("books"), source("films")],
        own("media"),
        "books, films share its repository",
      ],
      ["no source is known", [], own("media"), "no ReplicationSource that is known"],
    ])("on kopia, where %s", (_, sources, expected, note) => {
      const objects = [...sources, wanted("kopia", "shared-kopia")];
      const { manifests, notes } = migrate({ objects, addresses });
      expect(manifests.at(-1)?.spec).toMatchObject({ source: expected });
      if (note) expect(notes.join("\n")).toContain(note);
      else expect(notes.join("\n")).not.toContain("check that");
    });

    test.each<[what: string, objects: readonly KubeObject[], note: string]>([
      ["several share the repository", [restic, otherPhotos], "photos, more share its repository"],
      ["only another repository's source has its name", [kopia], "no ReplicationSource that is known"],
    ])("on restic, where %s", (_, sources, note) => {
      const objects = [...sources, wanted("restic", "photos-restic")];
      const { manifests, notes } = migrate({ objects, addresses });
      expect(manifests.at(-1)?.spec).toMatchObject({ source: own("volsync") });
      expect(notes.join("\n")).toContain(note);
    });
  });

  test("a paused source's schedule is suspended, and that is told", () => {
    const paused = { ...restic, spec: { ...(restic as { spec?: object }).spec, paused: true } } as KubeObject;
    const { manifests, notes } = migrate({ objects: [paused], addresses });
    expect(manifests.at(-1)?.spec).toMatchObject({ schedule: { suspend: true } });
    expect(notes.join("\n")).toContain("holdfast resume schedule/photos -n media");
  });

  test.each<[what: string, more: object]>([
    ["without a trigger", {}],
    ["with an empty one", { trigger: {} }],
  ])("a source %s was backed up all the time, has no schedule now, and that is told", (_, more) => {
    const always = volsync("ReplicationSource", "films", {
      sourcePVC: "films",
      paused: true,
      kopia: { repository: "shared-kopia" },
      ...more,
    });
    const { manifests, accounts, notes } = migrate({ objects: [always], addresses });
    expect(manifests.map(({ kind }) => kind)).toEqual(["Repository", "BackupConfig"]);
    expect(notes).toContainEqual(
      expect.stringMatching(/^ReplicationSource media\/films: .* all the time: write a BackupSchedule/),
    );
    const fields = accounts.flatMap((one) => one.fields);
    expect(fields.filter(({ became }) => became.includes("BackupSchedule"))).toEqual([]);
    expect(fields).toContainEqual(expect.objectContaining({ field: "spec.paused", lost: true }));
  });

  test("a source that ran by hand is not told to have run all the time", () => {
    expect(migrate({ objects: [kopia], addresses }).notes.join("\n")).not.toContain("all the time");
  });

  test("what keeps no backups, or has no address at hand, is told and not guessed", () => {
    const rsync = volsync("ReplicationSource", "copy", { sourcePVC: "a", rsyncTLS: { address: "x" } });
    const { manifests, notes } = migrate({ objects: [rsync, kopia], addresses: new Map() });
    expect(manifests.map(({ kind }) => kind)).toEqual(["BackupConfig"]);
    expect(notes.join("\n")).toMatch(/copy is not migrated(.|\n)*Secret media\/shared-kopia is not at hand/);
  });

  test("only fields that the kinds have are written", () => {
    const all = [
      restic,
      kopia,
      volsync("ReplicationDestination", "dst", {
        kopia: { repository: "shared-kopia", destinationPVC: "here" },
      }),
    ];
    const schemas = {
      Repository: repositorySchema,
      BackupConfig: backupConfigSchema,
      BackupSchedule: backupScheduleSchema,
      Restore: restoreSchema,
    };
    for (const { kind, spec } of migrate({ objects: all, addresses }).manifests) {
      const known = schemas[kind as keyof typeof schemas].properties?.spec?.properties ?? {};
      expect(Object.keys(known)).toEqual(expect.arrayContaining(Object.keys(spec)));
    }
  });
});

describe("backendOf()", () => {
  const auth = { secretRef: { name: "s" } };
  test.each<[address: string, backend: object]>([
    ["s3:minio:9000/b", { s3: { bucket: "b", endpoint: "minio:9000", auth } }],
    [
      "s3:http://minio:9000/b/a/c/",
      { s3: { bucket: "b", prefix: "a/c/", endpoint: "http://minio:9000", auth } },
    ],
    ["s3://b/a", { s3: { bucket: "b", prefix: "a/", auth } }],
    ["azure:c:/p", { azure: { container: "c", prefix: "p/", storageAccount: "acc", auth } }],
    ["gs:b:/p", { gcs: { bucket: "b", prefix: "p/", auth } }],
    ["gcs://b/p", { gcs: { bucket: "b", prefix: "p/", auth } }],
    ["b2:b:p", { b2: { bucket: "b", prefix: "p/", auth } }],
    ["sftp:user@host:/srv/r", { sftp: { host: "host", username: "user", path: "/srv/r", auth } }],
    [
      "sftp://user@host:2222/srv/r",
      { sftp: { host: "host", port: 2222, username: "user", path: "/srv/r", auth } },
    ],
    ["rclone:remote:path", { rclone: { remotePath: "remote:path", auth } }],
    ["webdavs://dav.lan/r", { webDav: { url: "https://dav.lan/r", auth } }],
  ])("%s", (RESTIC_REPOSITORY, value) => {
    expect(backendOf({ RESTIC_REPOSITORY, AZURE_ACCOUNT_NAME: "acc" }, "s")).toEqual({ ok: true, value });
  });

  test.each([
    ["rest:http://host/", "no backend for addresses such as rest:"],
    ["", "does not say where"],
    ["azure:c:/p", "AZURE_ACCOUNT_NAME"],
  ])("%j has no counterpart", (RESTIC_REPOSITORY, why) => {
    expect(backendOf({ RESTIC_REPOSITORY }, "s")).toEqual({ ok: false, error: expect.stringContaining(why) });
  });

  test.each([
    "webdavs://me:hush@dav.lan/r",
    "webdav://hush@dav.lan/r",
    "s3:https://key:hush@minio.lan/b/p",
    "s3:key:hush@minio.lan/b/p",
    "s3://key:hush@bucket/p",
    "sftp://user:hush@host/srv/r",
    "rclone::webdav,url=https://dav.lan,pass=hush:r",
    "rclone:remote,pass=hush:r",
  ])("%s would show a password, and is refused", (KOPIA_REPOSITORY) => {
    const backend = backendOf({ KOPIA_REPOSITORY }, "s");
    expect(backend).toEqual({ ok: false, error: expect.stringContaining("holds a password") });
    expect(JSON.stringify(backend)).not.toContain("hush");
  });

  test("nor may the endpoint beside an address hold one", () => {
    const settings = { KOPIA_REPOSITORY: "s3://b/p", AWS_S3_ENDPOINT: "https://key:hush@minio.lan" };
    expect(backendOf(settings, "s")).toMatchObject({ ok: false });
  });
});
