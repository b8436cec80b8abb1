import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import {
  claimed,
  NOW,
  sampleBackup,
  sampleClaim,
  sampleConfig,
  sampleRepository,
  sampleTarget,
} from "../testing/samples.ts";
import { decideConfig, type ObservedConfig } from "./decide_config.ts";

const READY = { ...sampleRepository(), status: { phase: "Ready" as const } };

const decide = (more: Partial<ObservedConfig> = {}) =>
  decideConfig({
    config: sampleConfig(),
    claims: { managed: [claimed("data")], free: [], released: [], forbidden: [] },
    backups: [],
    restores: [],
    repository: () => READY,
    isBackup: () => false,
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
    expect(names(backups)).toEqual(["all-nas-a-20260524-120000", "all-nas-b-20260524-120000"]);
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

  test("make none where one is pending or runs", () => {
    const running = sampleBackup("earlier", { pvc: "a", status: { phase: "Running" } });
    const elsewhere = sampleBackup("other", { pvc: "b", target: "b2", status: { phase: "Running" } });
    const { backups } = decide({ config: due, claims, backups: [running, elsewhere] });
    expect(names(backups)).toEqual(["all-nas-b-20260524-120000"]);
  });
});

describe("decideConfig(): annotations", () => {
  const asking = (annotations: Record<string, string>) => managing(claimed("data", { annotations }));

  test("make a backup in every target, and go", () => {
    const config = sampleConfig({ backupTargets: [sampleTarget("nas"), sampleTarget("b2")] });
    const claims = asking({ "backup.autorestore.com/manual-backup": "now" });
    const { backups, triggers } = decide({ config, claims });
    expect(names(backups)).toEqual(["manual-data-20260524-120000-nas", "manual-data-20260524-120000-b2"]);
    expect(triggers).toHaveLength(1);
  });

  test("make nothing twice", () => {
    const claims = asking({ "backup.autorestore.com/manual-backup": "first" });
    const made = decide({ claims }).backups[0];
    const backup = {
      ...sampleBackup("first"),
      metadata: { ...sampleBackup("first").metadata, annotations: made?.metadata.annotations ?? {} },
    };
    expect(decide({ claims, backups: [backup] })).toMatchObject({ backups: [], triggers: [{}] });
    expect(decide({ claims, isDone: () => true })).toMatchObject({ backups: [], triggers: [{}] });
  });

  test("of the BackupConfig are for all of its PVCs", () => {
    const config = sampleConfig(
      {},
      { annotations: { "backup.datarestor-operator.com/manual-backup": "all" } },
    );
    expect(names(decide({ config, claims: managing(claimed("a"), claimed("b")) }).backups)).toEqual([
      "all-a-nas",
      "all-b-nas",
    ]);
  });

  test("restore the latest from the best target, or what they name", () => {
    const config = sampleConfig({
      backupTargets: [sampleTarget("b2", { priority: 2 }), sampleTarget("nas", { priority: 1 })],
    });
    const restore = (value: string, isBackup = false) =>
      decide({
        config,
        claims: asking({ "backup.datarestor-operator.com/manual-restore": value }),
        isBackup: () => isBackup,
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
    "ScheduleInvalid",
    { config: sampleConfig({ backupTargets: [sampleTarget("nas", { schedule: "often" })] }) },
    expect.stringMatching(/^Target nas: the cron expression "often" cannot be used/),
  ],
  [
    "NamespaceForbidden",
    { claims: { managed: [], free: [], released: [], forbidden: ["away"] } },
    `It selects PVCs in away, and may not. Annotate these namespaces with ${ANNOTATIONS.allowedConfigs}: home.`,
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
});
