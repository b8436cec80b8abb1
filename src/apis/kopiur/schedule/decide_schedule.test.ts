import { describe, expect, test } from "vitest";
import { ANNOTATIONS, SCHEDULE_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupSchedule, BackupScheduleSpec } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import { backup, config, readyConfig, schedule } from "../testing/samples.ts";
import { decideBackupSchedule, type ObservedSchedule } from "./decide_schedule.ts";

const at = (time: string) => Date.parse(`2026-05-24T${time}Z`);
const MARKED = { phase: "Active", decidedUntil: "2026-05-24T01:00:00Z", resolvedCron: "0 * * * * UTC" };

/** A Backup of the slot at this hour. */
function made(hour: string, phase?: string, more: { readonly annotations?: object } = {}): Backup {
  const slot = `2026-05-24T${hour}:00:00Z`;
  return backup({
    metadata: {
      name: `nightly-20260524-${hour}0000`,
      labels: { [LABELS.backupSchedule]: "nightly" },
      annotations: {
        [SCHEDULE_ANNOTATIONS.slot]: slot,
        [SCHEDULE_ANNOTATIONS.scheduledAt]: slot,
        ...more.annotations,
      },
    },
    ...(phase ? { status: { phase } } : {}),
  });
}

interface Row {
  readonly spec?: Partial<BackupScheduleSpec["schedule"]>;
  readonly limit?: number;
  readonly status?: object;
  readonly backups?: readonly Backup[];
  readonly config?: ObservedSchedule["config"] | "absent";
  readonly nameTaken?: boolean;
  readonly now?: number;
}

function scheduleOf({ spec = {}, limit, status = MARKED }: Row): BackupSchedule {
  return schedule({
    spec: { schedule: spec, ...(limit === undefined ? {} : { failedJobsHistoryLimit: limit }) },
    status,
  });
}

function decide(row: Row = {}) {
  const { backups = [], nameTaken, now = at("02:00:00") } = row;
  const found = row.config === "absent" ? undefined : (row.config ?? readyConfig());
  return decideBackupSchedule({
    schedule: scheduleOf(row),
    config: found,
    backups,
    now,
    ...(nameTaken ? { nameTaken } : {}),
  });
}

const condition = (decision: ReturnType<typeof decide>, wanted: string) =>
  decision.status.conditions?.find(({ type }) => type === wanted);

describe("decideBackupSchedule()", () => {
  test("a new schedule makes nothing, and says when it will", () => {
    const decision = decide({ status: {}, now: at("00:00:01") });
    expect(decision.fire).toBeUndefined();
    expect(decision.status).toMatchObject({
      phase: "Active",
      observedGeneration: 1,
      resolvedCron: "0 * * * * UTC",
      decidedUntil: "2026-05-24T00:00:00Z",
      nextSchedule: { at: "2026-05-24T01:00:00Z" },
      active: 0,
      consecutiveFailures: 0,
    });
    expect(decision.wakeAt).toBe(at("01:00:00"));
    expect(condition(decision, "Ready")).toMatchObject({ status: "True", reason: "Scheduled" });
    expect(condition(decision, "ConfigResolvable")).toMatchObject({ status: "True" });
  });

  test("every Backup that it has made is counted once, whoever lived to see it", () => {
    const { status, fire } = decide({ status: { ...MARKED, backupsCreated: 4 } });
    expect(fire).toBeDefined();
    expect(status.backupsCreated).toBe(5);
    // It was made, and the status was not written any more.
    expect(decide({ status: { ...MARKED, backupsCreated: 4 }, backups: [made("02")] }).status).toMatchObject({
      decidedUntil: "2026-05-24T02:00:00Z",
      backupsCreated: 5,
    });
    const counted = { ...MARKED, decidedUntil: "2026-05-24T02:00:00Z", backupsCreated: 5 };
    expect(decide({ status: counted, backups: [made("02")] }).status.backupsCreated).toBe(5);
    expect(decide({ status: MARKED, nameTaken: true }).status.backupsCreated).toBeUndefined();
    // By a clock that was days ahead as many were made as are remembered.
    const createdSlots = Array.from({ length: 8 }, (_, n) => `2026-05-29T0${n}:00:00Z`);
    const ahead = { ...MARKED, backupsCreated: 12, createdSlots };
    expect(decide({ status: ahead }).status).toMatchObject({ backupsCreated: 13, createdSlots });
    expect(decide({ status: ahead, backups: [made("02")] }).status.backupsCreated).toBe(12);
  });

  test("where it is asked for, it runs on creation, and the first slot comes all the same", () => {
    const decision = decide({ spec: { runOnCreate: true }, status: {}, now: at("00:00:01") });
    expect(decision.fire).toEqual({ slot: at("00:00:00"), at: at("00:00:00") });
    expect(decision.status).toMatchObject({ nextSchedule: { at: "2026-05-24T01:00:00Z" } });
  });

  test("a slot that is due is made and remembered", () => {
    const decision = decide();
    expect(decision.fire?.slot).toBe(at("02:00:00"));
    expect(decision.status).toMatchObject({
      decidedUntil: "2026-05-24T02:00:00Z",
      lastSchedule: {
        scheduledAt: "2026-05-24T02:00:00Z",
        backupRef: { name: "nightly-20260524-020000" },
      },
      nextSchedule: { at: "2026-05-24T03:00:00Z" },
      active: 1,
    });
    expect(decision.events).toContainEqual({
      type: "Normal",
      reason: "BackupCreated",
      message: "Backup nightly-20260524-020000 was created for 2026-05-24T02:00:00Z.",
    });
    expect(condition(decision, "BackupSkipped")).toMatchObject({ status: "False" });
  });

  test("with jitter it is due later, and known by its slot", () => {
    const early = decide({ spec: { jitter: "30m" } });
    expect(early.fire).toBeUndefined();
    const due = early.wakeAt ?? 0;
    expect(due).toBeGreaterThan(at("02:00:00"));
    const decision = decide({ spec: { jitter: "30m" }, now: due });
    expect(decision.fire).toEqual({ slot: at("02:00:00"), at: due });
    expect(decision.status.lastSchedule).toEqual({
      scheduledAt: new Date(due).toISOString().replace(".000", ""),
      backupRef: { name: "nightly-20260524-020000" },
    });
  });

  test("a slot whose Backup is there is not made again, though the status does not know of it", () => {
    const decision = decide({ backups: [made("02")] });
    expect(decision.fire).toBeUndefined();
    expect(decision.status).toMatchObject({
      decidedUntil: "2026-05-24T02:00:00Z",
      lastSchedule: { scheduledAt: "2026-05-24T02:00:00Z", backupRef: { name: "nightly-20260524-020000" } },
      active: 1,
    });
    expect(condition(decision, "BackupSkipped")).toMatchObject({ status: "False" });
  });

  test("a missed window is one event, and the latest slot is made up for", () => {
    const decision = decide({ now: at("06:30:00") });
    expect(decision.fire?.slot).toBe(at("06:00:00"));
    expect(decision.events.filter(({ reason }) => reason === "BackupSkipped")).toEqual([
      {
        type: "Warning",
        reason: "BackupSkipped",
        message:
          "4 runs from 2026-05-24T02:00:00Z to 2026-05-24T05:00:00Z were left out: nobody was there to begin in time, and a later run stands for it.",
      },
    ]);
    expect(decision.status.lastSkippedSchedule).toEqual({
      at: "2026-05-24T05:00:00Z",
      reason: "Missed",
      count: 4,
    });
  });

  test("beyond the starting deadline nothing is made", () => {
    const decision = decide({ spec: { startingDeadlineSeconds: 600 }, now: at("02:10:01") });
    expect(decision.fire).toBeUndefined();
    expect(condition(decision, "BackupSkipped")).toMatchObject({
      status: "True",
      reason: "DeadlineExceeded",
      message:
        "The run of 2026-05-24T02:00:00Z was left out: it could not begin within startingDeadlineSeconds.",
    });
  });

  describe("while an earlier Backup runs", () => {
    const backups = [made("01", "Running")];

    test("Forbid leaves the run out, and says so once", () => {
      const decision = decide({ backups });
      expect(decision.fire).toBeUndefined();
      expect(decision.status).toMatchObject({ decidedUntil: "2026-05-24T02:00:00Z", active: 1 });
      expect(condition(decision, "BackupSkipped")).toMatchObject({ status: "True", reason: "StillRunning" });
      expect(decision.events.map(({ reason }) => reason)).toContain("BackupSkipped");
      const after = decide({ backups, status: decision.status });
      expect(after.events).toEqual([]);
      expect(condition(after, "BackupSkipped")).toMatchObject({ status: "True", reason: "StillRunning" });
    });

    test("Allow begins another one", () => {
      const decision = decide({ backups, spec: { concurrencyPolicy: "Allow" } });
      expect(decision).toMatchObject({ fire: { slot: at("02:00:00") }, cancel: [], status: { active: 2 } });
    });

    test("Replace cancels it first", () => {
      const decision = decide({ backups, spec: { concurrencyPolicy: "Replace" } });
      expect(decision).toMatchObject({ fire: { slot: at("02:00:00") }, cancel: backups });
    });

    test.each(["Succeeded", "Failed"])("one that has %s is not in the way", (phase) => {
      expect(decide({ backups: [made("01", phase)] }).fire).toBeDefined();
    });
  });

  describe("suspended", () => {
    test("makes nothing and has nothing before it", () => {
      const decision = decide({ spec: { suspend: true }, now: at("09:00:00") });
      expect(decision).toMatchObject({ status: { phase: "Suspended" }, prune: [], cancel: [] });
      expect(decision.fire).toBeUndefined();
      expect(decision.status.nextSchedule).toBeUndefined();
      expect(decision.wakeAt).toBeUndefined();
    });

    test("and resumed, it leaves out what fell due meanwhile, without a warning", () => {
      const { status } = decide({ spec: { suspend: true } });
      const decision = decide({ status, now: at("05:30:00") });
      expect(decision.fire).toBeUndefined();
      expect(decision.status).toMatchObject({
        phase: "Active",
        decidedUntil: "2026-05-24T05:00:00Z",
        lastSkippedSchedule: { reason: "Suspended", count: 4 },
      });
      expect(decision.events).toContainEqual(
        expect.objectContaining({ type: "Normal", reason: "BackupSkipped" }),
      );
      expect(decision.wakeAt).toBe(at("06:00:00"));
    });

    test("and resumed while its recipe cannot be run, it leaves out the same, and makes up for what comes after", () => {
      const { status } = decide({ spec: { suspend: true } });
      const resumed = decide({ status, config: "absent", now: at("05:30:00") });
      expect(resumed.fire).toBeUndefined();
      expect(resumed.status).toMatchObject({
        phase: "Pending",
        decidedUntil: "2026-05-24T05:00:00Z",
        nextSchedule: { at: "2026-05-24T06:00:00Z" },
        lastSkippedSchedule: { reason: "Suspended", count: 4 },
      });
      expect(resumed.events).toContainEqual(
        expect.objectContaining({ type: "Normal", reason: "BackupSkipped" }),
      );
      expect(decide({ status: resumed.status, now: at("05:40:00") }).fire).toBeUndefined();
      const later = decide({ status: resumed.status, config: "absent", now: at("06:10:00") });
      expect(decide({ status: later.status, now: at("06:20:00") }).fire?.slot).toBe(at("06:00:00"));
    });

    test("and resumed with times that nobody can tell, it makes up for what comes after alone", () => {
      const { status } = decide({ spec: { suspend: true } });
      const broken = decide({ status, spec: { cron: "61 * * * *" }, now: at("05:20:00") });
      expect(decide({ status: broken.status, now: at("05:30:00") }).fire).toBeUndefined();
      expect(decide({ status: broken.status, now: at("06:30:00") }).fire?.slot).toBe(at("06:00:00"));
    });
  });

  describe("without a recipe that can be run", () => {
    test.each<[string, Row["config"], string, string]>([
      ["it is not there", "absent", "ConfigNotFound", "False"],
      ["it is not ready", config(), "ConfigNotReady", "True"],
    ])("because %s, the slot waits with the reason", (_, recipe, reason, found) => {
      const decision = decide({ config: recipe });
      expect(decision.fire).toBeUndefined();
      expect(decision.status).toMatchObject({ phase: "Pending", decidedUntil: MARKED.decidedUntil });
      expect(condition(decision, "Ready")).toMatchObject({ status: "False", reason });
      expect(condition(decision, "ConfigResolvable")).toMatchObject({ status: found });
      expect(decision.wakeAt).toBe(at("02:05:00"));
      expect(decide({ status: decision.status, now: at("02:20:00") }).fire?.slot).toBe(at("02:00:00"));
    });

    test("one that was just edited is no reason to wait", () => {
      expect(decide({ config: readyConfig({ metadata: { generation: 2 } }) }).fire).toBeDefined();
    });

    test("the reason of the recipe is passed on", () => {
      const conditions = [{ type: "Ready", status: "False", message: "Repository billing/nas is away." }];
      const decision = decide({ config: config({ status: { phase: "Pending", conditions } }) });
      expect(condition(decision, "Ready")?.message).toBe(
        "BackupConfig billing/data cannot be run: Repository billing/nas is away.",
      );
    });

    test("the run on creation waits too", () => {
      const spec = { runOnCreate: true };
      const { status } = decide({ spec, status: {}, config: "absent", now: at("00:00:05") });
      expect(decide({ spec, status, now: at("00:20:00") }).fire?.slot).toBe(at("00:00:00"));
    });
  });

  test("times that nobody can tell stop it, until an edit", () => {
    const decision = decide({ spec: { cron: "61 * * * *" } });
    expect(decision.status.phase).toBe("Failed");
    expect(condition(decision, "Stalled")).toMatchObject({ status: "True", reason: "InvalidSchedule" });
    expect(condition(decision, "Ready")?.message).toMatch(
      /^The cron expression "61 \* \* \* \*" cannot be used/,
    );
    expect(decision.wakeAt).toBeUndefined();
  });

  test("a name that somebody else has is left out with the remedy", () => {
    const decision = decide({ nameTaken: true });
    expect(decision.fire).toBeUndefined();
    expect(decision.status).toMatchObject({
      decidedUntil: "2026-05-24T02:00:00Z",
      lastSkippedSchedule: { reason: "NameTaken" },
    });
    expect(decision.status.lastSchedule).toBeUndefined();
    expect(condition(decision, "BackupSkipped")?.message).toContain("delete or rename that one");
  });

  describe("counts how runs ended", () => {
    test("failures in a row, and the last success", () => {
      const backups = [made("00", "Succeeded"), made("01", "Failed"), made("02", "Failed")];
      const { status } = decide({ backups });
      expect(status).toMatchObject({
        consecutiveFailures: 2,
        countedUntil: "2026-05-24T02:00:00Z",
        lastSuccessfulSchedule: {
          at: "2026-05-24T00:00:00Z",
          backupRef: { name: "nightly-20260524-000000" },
        },
        active: 0,
      });
    });

    test("each once, also when its Backup is gone", () => {
      const first = decide({ backups: [made("01", "Failed")] }).status;
      const second = decide({ backups: [made("01", "Failed"), made("02", "Failed")], status: first }).status;
      expect(second.consecutiveFailures).toBe(2);
      expect(decide({ backups: [made("03", "Failed")], status: second }).status.consecutiveFailures).toBe(3);
    });

    test("a success begins anew, and is remembered when its Backup is gone", () => {
      const { status } = decide({
        backups: [made("01", "Failed"), made("02", "Succeeded")],
        status: { ...MARKED, consecutiveFailures: 4 },
      });
      expect(status.consecutiveFailures).toBe(0);
      expect(decide({ status }).status.lastSuccessfulSchedule).toEqual(status.lastSuccessfulSchedule);
    });

    test("one that is tried again by an edit, and succeeds, counts as a success", () => {
      const { status } = decide({ backups: [made("01", "Failed")] });
      expect(decide({ backups: [made("01", "Succeeded")], status }).status.consecutiveFailures).toBe(0);
    });

    test("the slot of a wrong clock is not the last, and hides no failures", () => {
      const far = "2027-05-24T00:00:00Z";
      const annotations = { [SCHEDULE_ANNOTATIONS.slot]: far, [SCHEDULE_ANNOTATIONS.scheduledAt]: far };
      const ahead = made("05", "Succeeded", { annotations });
      const known = { at: far, backupRef: { name: ahead.metadata.name } };
      const backups = [made("00", "Succeeded"), made("01", "Failed"), made("02", "Failed"), ahead];
      const { status } = decide({
        backups,
        status: { ...MARKED, consecutiveFailures: 0, countedUntil: far, lastSuccessfulSchedule: known },
      });
      expect(status).toMatchObject({
        consecutiveFailures: 2,
        countedUntil: "2026-05-24T02:00:00Z",
        lastSuccessfulSchedule: { at: "2026-05-24T00:00:00Z" },
      });
      const next = decide({ backups: [...backups, made("03", "Failed")], status, now: at("03:00:00") });
      expect(next.status.consecutiveFailures).toBe(3);
    });

    test("one that ends out of turn waits for those before it", () => {
      const spec = { concurrencyPolicy: "Allow" } as const;
      const { status } = decide({ spec, backups: [made("01", "Running"), made("02", "Failed")] });
      expect(status.consecutiveFailures).toBe(0);
      const after = decide({ spec, status, backups: [made("01", "Succeeded"), made("02", "Failed")] });
      expect(after.status.consecutiveFailures).toBe(1);
    });
  });

  describe("of failed Backups", () => {
    const failed = ["00", "01", "02"].map((hour) => made(hour, "Failed"));
    const names = (row: Row) => decide({ ...row }).prune.map(({ metadata }) => metadata.name);

    test("those beyond the limit go, oldest first", () => {
      const backups = [...failed, made("03", "Running")];
      expect(names({ backups, limit: 2 })).toEqual(["nightly-20260524-000000"]);
      expect(names({ backups, limit: 3 })).toEqual([]);
      expect(names({ backups, limit: 0 })).toHaveLength(3);
    });

    test("the one of the newest slot stays, whatever the limit", () => {
      expect(names({ backups: failed, limit: 0 })).toEqual([
        "nightly-20260524-010000",
        "nightly-20260524-000000",
      ]);
    });

    test("what is held, goes already, or is not counted yet stays", () => {
      const held = made("01", "Failed", { annotations: { [ANNOTATIONS.hold]: "true" } });
      expect(names({ backups: [held, made("02", "Running")], limit: 0 })).toEqual([]);
      const spec = { concurrencyPolicy: "Allow" } as const;
      const backups = [made("00", "Running"), made("01", "Failed"), made("02", "Failed")];
      expect(names({ spec, backups, limit: 0 })).toEqual([]);
    });

    test("what holds snapshots stays, and takes no other's place: only a hook after them failed", () => {
      const whole = ["00", "01", "02"].map((hour): Backup => {
        const one = made(hour, "Failed");
        return {
          ...one,
          status: { ...one.status, snapshots: [{ kopiaSnapshotID: hour }] },
        } as unknown as Backup;
      });
      expect(names({ backups: [...whole, made("03", "Running")], limit: 0 })).toEqual([]);
      const mixed = [made("00", "Failed"), ...whole.slice(1), made("03", "Running")];
      expect(names({ backups: mixed, limit: 1 })).toEqual([]);
      expect(names({ backups: mixed, limit: 0 })).toEqual(["nightly-20260524-000000"]);
    });

    test.each<[string, object, boolean]>([
      ["succeeded", { uid: "u", phase: "Succeeded", snapshots: 1 }, true],
      ["failed after its snapshots", { uid: "u", phase: "Failed", snapshots: 1 }, true],
      ["failed with who knows how many", { uid: "u", phase: "Failed" }, true],
      ["failed without any", { uid: "u", phase: "Failed", snapshots: 0 }, false],
      ["was never begun", { phase: "Failed" }, false],
    ])("what %s in one of several namespaces stays while data there may be good", (_, part, stays) => {
      const one = made("01", "Failed");
      const backupRefs = [
        { namespace: "lab", phase: "Failed" },
        { namespace: "shop", ...part },
      ];
      const fanned = { ...one, status: { ...one.status, backupRefs } } as Backup;
      const swept = names({ backups: [fanned, made("03", "Running")], limit: 0 });
      expect(swept).toEqual(stays ? [] : ["nightly-20260524-010000"]);
    });

    test("successes are nothing to the schedule", () => {
      const backups = ["00", "01", "02"].map((hour) => made(hour, "Succeeded"));
      expect(names({ backups, limit: 0 })).toEqual([]);
    });
  });

  test("Backups of others are not its own", () => {
    const other = backup({ metadata: { name: "other" }, status: { phase: "Running" } });
    expect(decide({ backups: [other] })).toMatchObject({
      fire: { slot: at("02:00:00") },
      status: { active: 1 },
    });
  });
});
