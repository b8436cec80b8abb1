import { describe, expect, test } from "vitest";
import { decideScheduledRuns } from "../../../core/schedule/decide_schedule.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { backup, config, readyConfig, schedule } from "../testing/samples.ts";
import { observedSchedule, scheduledBackup } from "./scheduled_backup.ts";

const slot = { slot: Date.parse("2026-05-24T02:00:00Z"), at: Date.parse("2026-05-24T02:13:00Z") };

test("scheduledBackup() is named after its slot, says where it comes from, and belongs to nobody", () => {
  expect(scheduledBackup(schedule({ spec: { tags: { reason: "nightly" } } }), slot)).toEqual({
    metadata: {
      name: "nightly-20260524-020000",
      namespace: "billing",
      labels: {
        "kopiur.home-operations.com/backup-schedule": "nightly",
        "kopiur.home-operations.com/backup-config": "data",
        "kopiur.home-operations.com/origin": "scheduled",
      },
      annotations: {
        "kopiur.home-operations.com/slot": "2026-05-24T02:00:00Z",
        "kopiur.home-operations.com/scheduled-at": "2026-05-24T02:13:00Z",
      },
    },
    spec: { configRef: { name: "data" }, tags: { reason: "nightly" } },
  });
});

test("scheduledBackup() of a schedule with a long name fits into names and labels", () => {
  const { metadata } = scheduledBackup(schedule({ metadata: { name: "n".repeat(253) } }), slot);
  expect(metadata.name?.length).toBeLessThanOrEqual(63);
  expect(Object.values(metadata.labels ?? {}).every((value) => value.length <= 63)).toBe(true);
});

describe("observedSchedule()", () => {
  const now = Date.parse("2026-05-24T03:30:00Z");

  /** A Backup of the slot at this hour. */
  function made(hour: string, status: object, annotations: object = {}): Backup {
    const at = Date.parse(`2026-05-24T${hour}:00:00Z`);
    const { metadata } = scheduledBackup(schedule(), { slot: at, at });
    return backup({
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
      status,
    });
  }

  const observe = (backups: readonly Backup[], found: BackupConfig | undefined = readyConfig()) =>
    observedSchedule(schedule(), { config: found, backups, now });

  test("knows the Backups that the schedule made, and how they stand", () => {
    const other = backup({ metadata: { name: "other" }, status: { phase: "Running" } });
    const { metadata, ...rest } = made("03", { phase: "Failed" });
    const going = { ...rest, metadata: { ...metadata, deletionTimestamp: "2026-05-24T03:10:00Z" } };
    const phases = ["Succeeded", "Failed", "Running"].map((phase, n) => made(`0${n}`, { phase }));
    expect(observe([other, ...phases, going]).runs.map(({ state }) => state)).toEqual([
      "succeeded",
      "failed",
      "running",
      "leaving",
    ]);
    expect(observe([made("02", {}, { [ANNOTATIONS.hold]: "true" })]).runs).toMatchObject([
      { slot: Date.parse("2026-05-24T02:00:00Z"), scheduledAt: "2026-05-24T02:00:00Z", held: true },
    ]);
  });

  test.each<[string, object, boolean]>([
    ["has snapshots of its own", { snapshots: [{ kopiaSnapshotID: "k" }] }, true],
    ["succeeded in a namespace", { uid: "u", phase: "Succeeded", snapshots: 1 }, true],
    ["failed after its snapshots", { uid: "u", phase: "Failed", snapshots: 1 }, true],
    ["failed with who knows how many", { uid: "u", phase: "Failed" }, true],
    ["failed without any", { uid: "u", phase: "Failed", snapshots: 0 }, false],
    ["was never begun", { phase: "Failed" }, false],
  ])("what %s holds data: %s", (_, part, holdsData) => {
    const backupRefs = [
      { namespace: "lab", phase: "Failed" },
      { namespace: "shop", ...part },
    ];
    const status = "phase" in part || "uid" in part ? { backupRefs } : part;
    expect(observe([made("01", { phase: "Failed", ...status })]).runs).toMatchObject([{ holdsData }]);
  });

  test.each<[string, BackupConfig | undefined, string, string]>([
    ["it is not there", undefined, "ConfigNotFound", "False"],
    ["it is not ready", config(), "ConfigNotReady", "True"],
  ])("waits for the BackupConfig, because %s", (_, found, reason, status) => {
    const { problem, conditions } = observedSchedule(schedule(), { config: found, backups: [], now });
    expect(problem?.reason).toBe(reason);
    expect(conditions).toMatchObject([{ type: "ConfigResolvable", status }]);
  });

  test("a BackupConfig that was just edited is no reason to wait, and the reason of one that waits is passed on", () => {
    expect(observe([], readyConfig({ metadata: { generation: 2 } })).problem).toBeUndefined();
    const conditions = [{ type: "Ready", status: "False", message: "Repository billing/nas is away." }];
    expect(observe([], config({ status: { phase: "Pending", conditions } })).problem?.message).toBe(
      "BackupConfig billing/data cannot be run: Repository billing/nas is away.",
    );
  });

  test("says by the names of its fields why a run is left out", () => {
    const { status } = decideScheduledRuns({
      ...observe([]),
      schedule: schedule({
        spec: { schedule: { startingDeadlineSeconds: 600 } },
        status: { phase: "Active", decidedUntil: "2026-05-24T02:00:00Z", resolvedCron: "0 * * * * UTC" },
      }),
    });
    expect(status.conditions?.find(({ type }) => type === "BackupSkipped")?.message).toBe(
      "The run of 2026-05-24T03:00:00Z was left out: it could not begin within startingDeadlineSeconds.",
    );
  });
});
