import { expect, test } from "vitest";
import { backupConfigResource } from "../../../kinds/autorestore/generated/backup_config.ts";
import { resticBackupResource } from "../../../kinds/autorestore/generated/restic_backup.ts";
import { resticRepositoryResource } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { resticRestoreResource } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import type { KubeObject } from "../../../kube/object.ts";
import {
  claimed,
  sampleBackup,
  sampleClaim,
  sampleConfig,
  sampleRepository,
  sampleRestore,
  sampleTarget,
} from "../testing/samples.ts";
import { autorestoreView } from "./autorestore_view.ts";

interface Objects {
  readonly configs?: readonly KubeObject[];
  readonly backups?: readonly KubeObject[];
  readonly restores?: readonly KubeObject[];
  readonly repositories?: readonly KubeObject[];
  readonly claims?: readonly KubeObject[];
}

function view({ configs = [sampleConfig()], backups = [], restores = [], ...more }: Objects) {
  const { repositories = [sampleRepository()], claims = [claimed("data"), claimed("logs")] } = more;
  const known = new Map<unknown, readonly KubeObject[]>([
    [backupConfigResource, configs],
    [resticBackupResource, backups],
    [resticRestoreResource, restores],
    [resticRepositoryResource, repositories],
  ]);
  const of = (resource: unknown) => known.get(resource) ?? [];
  return autorestoreView.read({ of, claims } as never, 0);
}

/** One that was asked for at this hour, and ended half an hour later. */
function backup(hour: number, phase: "Completed" | "Failed", pvc = "data", target = "nas") {
  const name = `${pvc}-${target}-${hour}`;
  const ended = `2026-05-24T${hour}:30:00Z`;
  const ready = { type: "Ready", status: "False", reason: "Corrupt", message: `${name} failed` };
  const { metadata, ...rest } = sampleBackup(name, { pvc, target });
  const labels = { ...metadata.labels, [LABELS.config]: "home.all" };
  return {
    ...rest,
    metadata: { ...metadata, labels, creationTimestamp: `2026-05-24T${hour}:00:00Z` },
    status:
      phase === "Completed"
        ? { phase, completionTime: ended, snapshotID: `id-${name}`, size: hour }
        : { phase, completionTime: ended, conditions: [ready] },
  } as KubeObject;
}

const damaged = (since: string) => ({
  ...sampleRepository(),
  status: {
    phase: "Unknown",
    conditions: [
      {
        type: "Intact",
        status: "False",
        reason: "DamagedDataRead",
        message: "damaged",
        lastTransitionTime: since,
      },
    ],
  },
});

test("each PVC has its own newest backup, by whichever target", () => {
  const backups = [
    backup(10, "Completed"),
    backup(12, "Completed", "logs"),
    backup(11, "Completed", "data", "b2"),
  ];
  expect(view({ backups }).protections()).toMatchObject([
    { claim: "home/data", level: "by hand", lastGood: { at: "2026-05-24T11:30:00Z", bytes: 11 } },
    { claim: "home/logs", level: "by hand", lastGood: { at: "2026-05-24T12:30:00Z" } },
  ]);
  expect(view({}).protections()).toMatchObject([{ level: "not yet" }, { level: "not yet" }]);
  // Another BackupConfig's are its own affair.
  expect(view({ claims: [claimed("data", {}, "home/other")] }).protections()).toEqual([]);
});

test("a backup that was made after its repository was damaged is not a good one", () => {
  const backups = [backup(10, "Completed"), backup(12, "Completed")];
  const repositories = [damaged("2026-05-24T11:00:00Z")];
  const part = view({ backups, repositories });
  expect(part.snapshots().map(({ doubt }) => doubt !== undefined)).toEqual([false, true]);
  expect(part.protections()[0]).toMatchObject({ lastGood: { at: "2026-05-24T10:30:00Z" } });
  const none = view({ backups: backups.slice(1), repositories });
  expect(none.protections()[0]).toMatchObject({ level: "not yet", lastGood: undefined });
  const elsewhere = [backup(12, "Completed", "data", "b2")];
  expect(view({ backups: elsewhere, repositories }).protections()[0]?.lastGood).toBeDefined();
});

test("the last good run of a target is the last scheduled backup that succeeded", () => {
  const configs = [
    {
      ...sampleConfig({
        backupTargets: [sampleTarget("nas", { schedule: "0 * * * *" }), sampleTarget("b2")],
      }),
      status: {
        targets: [{ name: "nas", lastBackup: "2026-05-24T13:00:00Z", nextBackup: "2026-05-24T14:00:00Z" }],
      },
    },
  ];
  const by = { ...(backup(12, "Completed") as ReturnType<typeof sampleBackup>) };
  const manual = { ...by, spec: { ...by.spec, backupType: "manual" } };
  const backups = [
    backup(10, "Completed"),
    manual,
    backup(13, "Failed"),
    backup(11, "Completed", "data", "b2"),
  ];
  expect(view({ configs, backups }).schedules()).toMatchObject([
    { cron: "0 * * * *", lastGoodRun: "2026-05-24T10:30:00Z", nextRun: "2026-05-24T14:00:00Z" },
  ]);
});

test("what failed counts until it succeeds for the same PVC and repository", () => {
  const backups = [
    backup(10, "Failed"),
    backup(11, "Completed"),
    backup(11, "Completed", "data", "b2"),
    backup(12, "Failed", "data", "b2"),
    backup(10, "Failed", "logs"),
  ];
  const conditions = [{ type: "Ready", status: "False", reason: "X", message: "it failed" }];
  const restores = [{ ...sampleRestore(), status: { phase: "Failed", conditions } } as unknown as KubeObject];
  const named = (objects: Objects) =>
    view(objects)
      .problems()
      .map(({ object }) => object.name);
  expect(named({ backups, restores })).toEqual(["data-b2-12", "logs-nas-10", "back"]);
  const { metadata, ...rest } = sampleRestore();
  const again = {
    ...rest,
    metadata: { ...metadata, name: "again" },
    status: { phase: "Completed" as const },
  };
  expect(named({ restores: [...restores, again] })).toEqual([]);
});

test("what the console promises of a new PVC, the BackupConfig that it writes does", () => {
  const of = (resource: unknown) => (resource === resticRepositoryResource ? [sampleRepository()] : []);
  const plan = autorestoreView.protect?.({ of, claims: [], claim: sampleClaim("data"), chosen: {} } as never);
  expect(plan?.says).toContain("A new PVC of its name is filled with its newest backup.");
  expect(plan?.writes[0]?.object).toMatchObject({
    spec: { selectors: [{ names: ["data"] }], autoRestore: true },
  });
});

test("a PVC that is gone is named with its last backup, and what brings it back", () => {
  const backups = [backup(10, "Completed"), backup(12, "Completed")];
  expect(view({ backups, claims: [] }).problems()).toMatchObject([
    {
      object: { name: "data-nas-12" },
      why: "PVC home/data is gone, and this is its last backup",
      remedy: expect.stringContaining("create a ResticRestore with backupName: data-nas-12"),
    },
  ]);
  expect(view({ backups }).problems()).toEqual([]);
});
