import { describe, expect, test } from "vitest";
import { ACCEPTED, ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import {
  claimed,
  NOW,
  sampleBackup,
  sampleClaim,
  sampleConfig,
  sampleRepository,
  sampleRestore,
  sampleTarget,
} from "../testing/samples.ts";
import { decideConfig } from "./decide_config.ts";
import type { ObservedConfig } from "./observed_config.ts";

const READY = { ...sampleRepository(), status: { phase: "Ready" as const } };

const decide = (more: Partial<ObservedConfig> = {}) =>
  decideConfig({
    config: sampleConfig(),
    claims: { managed: [claimed("data")], free: [], released: [], forbidden: [] },
    backups: [],
    restores: [],
    repository: () => READY,
    restoresInto: () => [],
    backup: () => undefined,
    isWanted: () => false,
    isDone: () => false,
    now: NOW,
    ...more,
  });
const managing = (...managed: ReturnType<typeof claimed>[]) => ({
  managed,
  free: [],
  released: [],
  forbidden: [],
});
/** Two backups of a volume, and one since it was emptied. */
const emptied = () =>
  [1, 2, 3].map((day) =>
    sampleBackup(`day-${day}`, {
      status: {
        phase: "Completed",
        completionTime: `2026-05-0${day}T12:00:00Z`,
        snapshotID: `id-${day}`,
        size: day === 3 ? 0 : 4096,
      },
    }),
  );
const names = (drafts: readonly { readonly metadata: { readonly name?: string } }[]) =>
  drafts.map(({ metadata }) => metadata.name);

describe("decideConfig(): scheduled times", () => {
  const targets = [sampleTarget("nas", { backupSchedule: "0 * * * *" }), sampleTarget("b2")];
  const due = {
    ...sampleConfig({ backupTargets: targets }),
    status: { work: { "slot-nas": { after: NOW - 3_600_000, cron: "0 * * * * UTC" } } },
  };
  const claims = managing(claimed("a"), claimed("b"));

  test("make one backup for each PVC, in the target alone whose time it is", () => {
    const { backups, status, wakeAt } = decide({ config: due, claims });
    expect(names(backups)).toEqual([
      expect.stringMatching(/^all-nas-a-[a-z0-9]{5}-20260524-120000$/),
      expect.stringMatching(/^all-nas-b-[a-z0-9]{5}-20260524-120000$/),
    ]);
    expect(backups[0]?.spec).toMatchObject({
      pvcRef: { name: "a" },
      repositoryRef: { name: "nas" },
      backupType: "scheduled",
    });
    expect(status.targets).toMatchObject([
      { name: "nas", lastBackup: "2026-05-24T12:00:00Z", nextBackup: "2026-05-24T13:00:00Z" },
      { name: "b2" },
    ]);
    expect(wakeAt).toBe(NOW + 3_600_000);
  });

  test("make backups of different names, whatever dashes the names of PVCs and targets have", () => {
    const backupTargets = ["s3", "s3-db"].map((name) => sampleTarget(name, { schedule: "0 * * * *" }));
    const memory = { after: NOW - 3_600_000, cron: "0 * * * * UTC" };
    const config = {
      ...sampleConfig({ backupTargets }),
      status: { work: { "slot-s3": memory, "slot-s3-db": memory } },
    };
    const { backups } = decide({ config, claims: managing(claimed("db-data"), claimed("data")) });
    expect(new Set(names(backups)).size).toBe(4);
  });

  test("make none where one is pending or runs", () => {
    const running = sampleBackup("earlier", { pvc: "a", status: { phase: "Running" } });
    const elsewhere = sampleBackup("other", { pvc: "b", target: "b2", status: { phase: "Running" } });
    const { backups } = decide({ config: due, claims, backups: [running, elsewhere] });
    expect(backups.map(({ spec }) => spec.pvcRef.name)).toEqual(["b"]);
  });
});

describe("decideConfig(): annotations", () => {
  const asking = (annotations: Record<string, string>) => managing(claimed("data", { annotations }));
  const accepting = (what: "backup" | "restore", value: string) =>
    asking({ [ACCEPTED[what]]: `20260524-120000 ${value}` });

  test.each([
    ["backup.datarestor-operator.com/manual-backup", "now", ACCEPTED.backup],
    ["backup.autorestore.com/manual-backup", "first", ACCEPTED.backup],
    ["backup.datarestor-operator.com/manual-restore", "latest", ACCEPTED.restore],
    ["backup.autorestore.com/restore-from-backup", "true", ACCEPTED.restore],
  ])("%s is accepted before anything is made for it", (name, value, accepted) => {
    const { accept, settle, backups, restores } = decide({ claims: asking({ [name]: value }) });
    expect(accept).toMatchObject([{ annotations: { [name]: null, [accepted]: `20260524-120000 ${value}` } }]);
    expect([settle, backups, restores]).toEqual([[], [], []]);
  });

  test("that ask for nothing only go", () => {
    const name = "backup.autorestore.com/manual-backup";
    expect(decide({ claims: asking({ [name]: "false" }) }).accept).toMatchObject([
      { annotations: { [name]: null } },
    ]);
  });

  test("make a backup in every target, and go", () => {
    const config = sampleConfig({ backupTargets: [sampleTarget("nas"), sampleTarget("b2")] });
    const { backups, settle, accept } = decide({ config, claims: accepting("backup", "now") });
    expect(names(backups)).toEqual(["manual-data-20260524-120000-nas", "manual-data-20260524-120000-b2"]);
    expect(settle).toMatchObject([{ annotations: { [ACCEPTED.backup]: null } }]);
    expect(accept).toEqual([]);
  });

  test("set while another one is carried out wait for it, and none is lost", () => {
    const name = "backup.autorestore.com/manual-backup";
    const claims = asking({ [ACCEPTED.backup]: "20260524-110000 first", [name]: "second" });
    const { backups, accept, settle } = decide({ claims });
    expect(names(backups)).toEqual(["first"]);
    expect([accept, settle.length]).toEqual([[], 1]);
    const later = managing(claimed("data", { annotations: { [name]: "second" }, resourceVersion: "8" }));
    expect(decide({ claims: later }).accept).toHaveLength(1);
  });

  test("make nothing twice, whatever else changes on the PVC meanwhile", () => {
    const claims = accepting("backup", "now");
    const [made] = decide({ claims }).backups;
    const backup = {
      ...sampleBackup("first"),
      metadata: { ...sampleBackup("first").metadata, annotations: made?.metadata.annotations ?? {} },
    };
    const touched = managing(
      claimed("data", {
        annotations: { [ACCEPTED.backup]: "20260524-120000 now" },
        resourceVersion: "99",
      }),
    );
    expect(decide({ claims: touched, backup: () => backup })).toMatchObject({ backups: [], settle: [{}] });
    expect(decide({ claims: touched, now: NOW + 60_000 }).backups).toEqual([made]);
    expect(decide({ claims, isDone: () => true })).toMatchObject({ backups: [], settle: [{}] });
    const restoring = accepting("restore", "latest");
    const later = decide({ claims: restoring, now: NOW + 60_000 }).restores;
    expect(names(decide({ claims: restoring }).restores)).toEqual(names(later));
  });

  test("say when a name is taken", () => {
    const { backups, events } = decide({
      claims: accepting("backup", "first"),
      backup: () => sampleBackup("first"),
    });
    expect(backups).toEqual([]);
    expect(events).toContainEqual({
      type: "Warning",
      reason: "NameTaken",
      message:
        "ResticBackup home/first exists already, so the annotation made none of this name. Annotate again with another name.",
    });
  });

  test("say when they mean nothing, and go", () => {
    const { restores, settle, events } = decide({ claims: accepting("restore", "the newest") });
    expect([restores, settle.length]).toEqual([[], 1]);
    expect(events).toContainEqual({
      type: "Warning",
      reason: "AnnotationInvalid",
      message:
        'PersistentVolumeClaim home/data is not restored: "the newest" is neither latest, nor the ID of a snapshot, nor the name of a ResticBackup. Annotate again with one of these.',
    });
  });

  test("of a BackupConfig without PVCs say so, and go", () => {
    const metadata = { annotations: { [ACCEPTED.backup]: "20260524-120000 now" } };
    const { backups, settle, events } = decide({ config: sampleConfig({}, metadata), claims: managing() });
    expect([backups, settle.length]).toEqual([[], 1]);
    expect(events).toContainEqual({
      type: "Warning",
      reason: "NothingManaged",
      message:
        "The annotation manual-backup of BackupConfig home/all made nothing, because the BackupConfig manages no PVC. Annotate again once its status.managedPVCs names one.",
    });
  });

  test("of the BackupConfig are for all of its PVCs, each with its own backup", () => {
    const metadata = { annotations: { [ACCEPTED.backup]: "20260524-120000 all" } };
    const claims = managing(claimed("a"), claimed("b"));
    expect(names(decide({ config: sampleConfig({}, metadata), claims }).backups)).toEqual([
      "all-a-nas",
      "all-b-nas",
    ]);
    const there: Record<string, ReturnType<typeof sampleBackup>> = {
      "home/all-a-nas": sampleBackup("all-a-nas", { pvc: "a" }),
      "home/all-b-nas": sampleBackup("all-b-nas", { pvc: "b" }),
      "home/all": sampleBackup("all", { pvc: "a" }),
    };
    const restoring = sampleConfig({}, { annotations: { [ACCEPTED.restore]: "20260524-120000 all" } });
    const { restores } = decide({ config: restoring, claims, backup: (key) => there[key] });
    expect(restores.map(({ spec }) => [spec.targetPVC, spec.backupName])).toEqual([
      ["a", "all"],
      ["b", "all-b-nas"],
    ]);
  });

  test("of the BackupConfig wait until all of its PVCs are claimed", () => {
    const name = "backup.autorestore.com/manual-backup";
    const claims = {
      ...managing(claimed("a", { annotations: { [name]: "now" } })),
      free: [sampleClaim("b")],
    };
    const asked = decide({ config: sampleConfig({}, { annotations: { [name]: "now" } }), claims });
    expect(asked.accept.map(({ object }) => object.metadata.name)).toEqual(["a"]);
    const accepted = { annotations: { [ACCEPTED.backup]: "20260524-120000 all" } };
    expect(decide({ config: sampleConfig({}, accepted), claims })).toMatchObject({ backups: [], settle: [] });
  });

  test("restore the backup of another PVC by its very name alone", () => {
    const there: Record<string, ReturnType<typeof sampleBackup>> = {
      "home/x-data-nas": sampleBackup("x-data-nas", { pvc: "x-data" }),
    };
    const restore = (value: string) =>
      decide({ claims: accepting("restore", value), backup: (key) => there[key] }).restores[0]?.spec
        .backupName;
    expect(restore("x-data-nas")).toBe("x-data-nas");
    expect(restore("x")).toBe("x");
  });

  test("restore the latest from the best target, or what they name", () => {
    const config = sampleConfig({
      backupTargets: [sampleTarget("b2", { priority: 2 }), sampleTarget("nas", { priority: 1 })],
    });
    const restore = (value: string, isBackup = false) =>
      decide({
        config,
        claims: accepting("restore", value),
        backup: () => (isBackup ? sampleBackup("monday") : undefined),
      }).restores[0]?.spec;
    expect(restore("latest")).toMatchObject({
      targetPVC: "data",
      backupTarget: { repository: { name: "nas" } },
      fallbackTargets: [{ repository: { name: "b2" } }],
      stopPods: true,
      onlyIfEmpty: false,
      continueWithoutSnapshot: false,
    });
    expect(restore("monday", true)).toMatchObject({ backupName: "monday" });
    expect(restore("0f3a9b21")).toMatchObject({
      snapshotID: "0f3a9b21",
      backupTarget: { repository: { name: "nas" } },
    });
  });
});

test("decideConfig() restores a new PVC by itself, and notes that", () => {
  const { restores, decided } = decide({ config: sampleConfig({ autoRestore: true }) });
  expect(restores[0]?.spec).toMatchObject({
    onlyIfEmpty: true,
    continueWithoutSnapshot: true,
    stopPods: true,
  });
  expect(decided.map(({ metadata }) => metadata.name)).toEqual(["data"]);
});

test("decideConfig() says why an old PVC is not restored", () => {
  const old = claimed("data", { creationTimestamp: "2026-05-01T00:00:00Z" });
  const { restores, events } = decide({ config: sampleConfig({ autoRestore: true }), claims: managing(old) });
  expect(restores).toEqual([]);
  expect(events.map(({ message }) => message)).toContain(
    "PersistentVolumeClaim home/data is not restored automatically: it is older than ten minutes, and may hold data of its own. Annotate it with manual-restore to restore it.",
  );
});

test("decideConfig() makes the repository that a target describes, once", () => {
  const repository = { repository: "b2:bucket:path", privilegedMover: false };
  const config = sampleConfig({ backupTargets: [sampleTarget("cloud", { repository })] });
  expect(names(decide({ config, repository: () => undefined }).repositories)).toEqual(["all-cloud"]);
  expect(decide({ config }).repositories).toEqual([]);
  const labels = { [LABELS.config]: "home.all" };
  const made = { ...sampleRepository(), metadata: { ...sampleRepository().metadata, labels } };
  expect(decide({ config, repository: () => made }).edited).toMatchObject([{ spec: repository }]);
  expect(decide({ config, repository: () => ({ ...made, spec: repository }) }).edited).toEqual([]);
  // Somebody else's of that name is left alone.
  expect(decide({ config }).edited).toEqual([]);
});

test("decideConfig() makes nothing in a repository that was made for another BackupConfig", () => {
  const schedule = "0 * * * *";
  const cloud = { schedule, repository: sampleRepository().spec };
  const memory = { after: NOW - 3_600_000, cron: "0 * * * * UTC" };
  const config = {
    ...sampleConfig({
      autoRestore: true,
      backupTargets: [sampleTarget("cloud", cloud), sampleTarget("nas", { schedule })],
    }),
    status: { work: { "slot-cloud": memory, "slot-nas": memory } },
  };
  const annotations = { [ACCEPTED.backup]: "20260524-120000 now" };
  const claims = managing(claimed("data", { annotations }));
  const { metadata } = sampleRepository();
  const labelled = (label: string) => {
    const repository = { ...READY, metadata: { ...metadata, labels: { [LABELS.config]: label } } };
    return decide({ config, claims, repository: () => repository });
  };
  const { backups, restores, settle, decided, status } = labelled("home.all-cloud");
  expect(backups.map(({ spec }) => spec.repositoryRef.name)).toEqual(["nas"]);
  expect([restores, settle, decided]).toEqual([[], [], []]);
  expect(status.conditions).toContainEqual(
    expect.objectContaining({
      type: "Stalled",
      status: "True",
      reason: "RepositoryNameTaken",
      message:
        "ResticRepository all-cloud exists already, and was not made for this BackupConfig. The operator makes no backup in it and restores no PVC until you rename the target, or name the ResticRepository in its repository.name to share it.",
    }),
  );
  expect(labelled("home.all")).toMatchObject({ backups: { length: 4 }, restores: { length: 1 } });
});

test("decideConfig() hands on what is to be claimed and released, and counts what it has", () => {
  const free = [sampleClaim("new")];
  const released = [claimed("left")];
  const { claim, release, status } = decide({
    claims: { managed: [claimed("data")], free, released, forbidden: [] },
  });
  expect([claim, release]).toEqual([free, released]);
  expect(status).toMatchObject({ managedPVCs: ["home/data"], pvcCount: 1, targetCount: 1 });
});

test.each([
  ["Managed", {}, "It manages 1 PVC."],
  [
    "RepositoryNotReady",
    { repository: () => undefined },
    "ResticRepository nas is not ready. See its status.",
  ],
  [
    "InvalidSchedule",
    { config: sampleConfig({ backupTargets: [sampleTarget("nas", { schedule: "often" })] }) },
    expect.stringMatching(/^spec.backupTargets\[0\].schedule: The cron expression "often" cannot be used/),
  ],
  [
    "RestoreFailed",
    {
      restoresInto: () => [{ ...sampleRestore({ onlyIfEmpty: true }), status: { phase: "Failed" as const } }],
    },
    "ResticRestore back failed, so PersistentVolumeClaim home/data lacks data that it should have. The operator makes no backup of it. Restore into it again with the annotation manual-restore; or, to back it up as it is, delete the ResticRestore.",
  ],
  [
    "NamespaceForbidden",
    { claims: { managed: [], free: [], released: [], forbidden: ["away"] } },
    `It selects PVCs in away, and may not. Annotate these namespaces with ${ANNOTATIONS.allowedConfigs}: home.`,
  ],
  [
    "SourceShrank",
    {
      config: sampleConfig({ backupTargets: [sampleTarget("nas", { retention: { keepLast: 1 } })] }),
      backups: emptied(),
    },
    expect.stringMatching(
      /^Retention deletes no good backup: the source shrank to 0 bytes in day-3, .* annotate ResticBackup day-3 with .*\/acknowledge-shrink: "true"\.$/,
    ),
  ],
])("decideConfig() says %s", (reason, more, message) => {
  const { conditions } = decide(more).status;
  expect(conditions).toContainEqual(expect.objectContaining({ type: "Ready", reason, message }));
});

test("decideConfig() applies the retention of each target to each PVC by itself", () => {
  const config = sampleConfig({
    backupTargets: [sampleTarget("nas", { retention: { keepLast: 1 } }), sampleTarget("b2")],
  });
  const at = (day: number) => ({
    phase: "Completed" as const,
    completionTime: new Date(NOW - day * 86_400_000).toISOString(),
  });
  const backups = ["nas", "b2"].flatMap((target) =>
    ["a", "b"].flatMap((pvc) =>
      [1, 2].map((day) => sampleBackup(`${target}-${pvc}-${day}`, { target, pvc, status: at(day) })),
    ),
  );
  expect(decide({ config, backups }).surplus.map(({ metadata }) => metadata.name)).toEqual([
    "nas-a-2",
    "nas-b-2",
  ]);
  // What is being restored stays until that has ended.
  const isWanted = ({ metadata }: { readonly metadata: { readonly name: string } }) =>
    metadata.name === "nas-a-2";
  expect(decide({ config, backups, isWanted }).surplus.map(({ metadata }) => metadata.name)).toEqual([
    "nas-b-2",
  ]);
});

describe("decideConfig(): statistics", () => {
  const completed = (name: string, day: number) =>
    sampleBackup(name, {
      status: {
        phase: "Completed",
        completionTime: new Date(NOW - day * 86_400_000).toISOString().replace(".000", ""),
      },
    });

  test("count what there is, and what retention has deleted", () => {
    const config = sampleConfig({ backupTargets: [sampleTarget("nas", { retention: { keepLast: 1 } })] });
    const failed = sampleBackup("bad", { status: { phase: "Failed" } });
    const running = sampleBackup("now", { status: { phase: "Running" } });
    const pending = sampleBackup("next");
    const backups = [completed("a", 1), completed("b", 2), failed, running, pending];
    const restores = [{ ...sampleRestore(), status: { phase: "Completed" as const } }, sampleRestore()];
    const { status, surplus } = decide({ config, backups, restores });
    expect(surplus.map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(status).toMatchObject({
      backupJobs: { successful: 2, running: 1, pending: 1, failed: 1 },
      restoreJobs: { successful: 1, running: 0, pending: 1, failed: 0 },
      lastRetentionCheck: "2026-05-23T12:00:00Z",
      targets: [{ name: "nas", repository: "nas", lastRetention: "2026-05-23T12:00:00Z" }],
    });
    const going = {
      ...completed("b", 2),
      metadata: { ...completed("b", 2).metadata, deletionTimestamp: "x" },
    };
    for (const left of [[completed("a", 1)], [completed("a", 1), going]]) {
      expect(decide({ config: { ...config, status }, backups: left }).status.backupJobs?.successful).toBe(2);
    }
  });

  test("say when a retention with a schedule was applied", () => {
    const target = sampleTarget("nas", { retention: { keepLast: 1 }, retentionSchedule: "0 * * * *" });
    const config = {
      ...sampleConfig({ backupTargets: [target] }),
      status: { work: { "retention-nas": { after: NOW - 3_600_000, cron: "0 * * * * UTC" } } },
    };
    const backups = [completed("a", 1), completed("b", 2)];
    const { status, surplus } = decide({ config, backups });
    expect(surplus).toHaveLength(1);
    expect(status.lastRetentionCheck).toBe("2026-05-24T12:00:00Z");
    expect(decide({ config: { ...config, status }, backups }).surplus).toEqual([]);
  });
});
