import { describe, expect, test } from "vitest";
import { type Problem, waits } from "../reconcile/problem.ts";
import { backup, type Owner } from "../testing/samples.ts";
import { decideScheduledRuns } from "./decide_schedule.ts";
import type { Schedule, ScheduleState } from "./schedule_object.ts";
import type { ScheduledRun } from "./scheduled_runs.ts";
import { schedule } from "./testing/samples.ts";

const at = (time: string) => Date.parse(`2026-05-24T${time}Z`);
const MARKED: ScheduleState = {
  phase: "Active",
  decidedUntil: "2026-05-24T01:00:00Z",
  resolvedCron: "0 * * * * UTC",
};
const WORDS = { startingDeadline: "its deadline", forbidden: "runs must not overlap" };
const AWAY = waits("Away", "What it runs is not there.");

/** A backup of the slot at this hour. */
function made(
  hour: string,
  state: ScheduledRun["state"] = "running",
  more: Partial<ScheduledRun<Owner>> = {},
): ScheduledRun<Owner> {
  const scheduledAt = `2026-05-24T${hour}:00:00Z`;
  return {
    slot: Date.parse(scheduledAt),
    scheduledAt,
    backup: backup({ metadata: { name: `nightly-20260524-${hour}0000` } }),
    state,
    holdsData: false,
    held: false,
    ...more,
  };
}

interface Row {
  readonly spec?: Partial<Schedule["spec"]["schedule"]>;
  readonly limit?: number;
  readonly status?: ScheduleState;
  readonly runs?: readonly ScheduledRun<Owner>[];
  readonly problem?: Problem;
  readonly nameTaken?: boolean;
  readonly now?: number;
}

function decide(row: Row = {}) {
  const { spec = {}, limit, status = MARKED, runs = [], now = at("02:00:00"), ...seen } = row;
  return decideScheduledRuns({
    schedule: schedule({
      spec: { schedule: spec, ...(limit === undefined ? {} : { failedJobsHistoryLimit: limit }) },
      status,
    }),
    runs,
    words: WORDS,
    now,
    ...seen,
  });
}

const condition = (decision: ReturnType<typeof decide>, wanted: string) =>
  decision.status.conditions?.find(({ type }) => type === wanted);

describe("decideScheduledRuns()", () => {
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
  });

  test("every Backup that it has made is counted once, whoever lived to see it", () => {
    const { status, fire } = decide({ status: { ...MARKED, backupsCreated: 4 } });
    expect(fire).toBeDefined();
    expect(status.backupsCreated).toBe(5);
    // It was made, and the status was not written any more.
    expect(decide({ status: { ...MARKED, backupsCreated: 4 }, runs: [made("02")] }).status).toMatchObject({
      decidedUntil: "2026-05-24T02:00:00Z",
      backupsCreated: 5,
    });
    const counted = { ...MARKED, decidedUntil: "2026-05-24T02:00:00Z", backupsCreated: 5 };
    expect(decide({ status: counted, runs: [made("02")] }).status.backupsCreated).toBe(5);
    expect(decide({ status: MARKED, nameTaken: true }).status.backupsCreated).toBeUndefined();
    // By a clock that was days ahead as many were made as are remembered.
    const createdSlots = Array.from({ length: 8 }, (_, n) => `2026-05-29T0${n}:00:00Z`);
    const ahead = { ...MARKED, backupsCreated: 12, createdSlots };
    expect(decide({ status: ahead }).status).toMatchObject({ backupsCreated: 13, createdSlots });
    expect(decide({ status: ahead, runs: [made("02")] }).status.backupsCreated).toBe(12);
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
      message: "backup nightly-20260524-020000 was created for 2026-05-24T02:00:00Z.",
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
    const decision = decide({ runs: [made("02")] });
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
          "4 runs from 2026-05-24T02:00:00Z to 2026-05-24T05:00:00Z were left out: no operator was there to begin it in time, and a later run stands for it.",
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
      message: "The run of 2026-05-24T02:00:00Z was left out: it could not begin within its deadline.",
    });
  });

  describe("while an earlier Backup runs", () => {
    const runs = [made("01", "running")];

    test("Forbid leaves the run out, and says so once", () => {
      const decision = decide({ runs });
      expect(decision.fire).toBeUndefined();
      expect(decision.status).toMatchObject({ decidedUntil: "2026-05-24T02:00:00Z", active: 1 });
      expect(condition(decision, "BackupSkipped")).toMatchObject({ status: "True", reason: "StillRunning" });
      expect(decision.events.map(({ reason }) => reason)).toContain("BackupSkipped");
      const after = decide({ runs, status: decision.status });
      expect(after.events).toEqual([]);
      expect(condition(after, "BackupSkipped")).toMatchObject({ status: "True", reason: "StillRunning" });
    });

    test("Allow begins another one", () => {
      const decision = decide({ runs, spec: { concurrencyPolicy: "Allow" } });
      expect(decision).toMatchObject({ fire: { slot: at("02:00:00") }, cancel: [], status: { active: 2 } });
    });

    test("Replace cancels it first", () => {
      const decision = decide({ runs, spec: { concurrencyPolicy: "Replace" } });
      expect(decision).toMatchObject({
        fire: { slot: at("02:00:00") },
        cancel: runs.map(({ backup: one }) => one),
      });
    });

    test.each(["succeeded", "failed"] as const)("one that has %s is not in the way", (state) => {
      expect(decide({ runs: [made("01", state)] }).fire).toBeDefined();
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

    test("and resumed while what it runs cannot be run, it leaves out the same, and makes up for what comes after", () => {
      const { status } = decide({ spec: { suspend: true } });
      const resumed = decide({ status, problem: AWAY, now: at("05:30:00") });
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
      const later = decide({ status: resumed.status, problem: AWAY, now: at("06:10:00") });
      expect(decide({ status: later.status, now: at("06:20:00") }).fire?.slot).toBe(at("06:00:00"));
    });

    test("and resumed with times that nobody can tell, it makes up for what comes after alone", () => {
      const { status } = decide({ spec: { suspend: true } });
      const broken = decide({ status, spec: { cron: "61 * * * *" }, now: at("05:20:00") });
      expect(decide({ status: broken.status, now: at("05:30:00") }).fire).toBeUndefined();
      expect(decide({ status: broken.status, now: at("06:30:00") }).fire?.slot).toBe(at("06:00:00"));
    });
  });

  describe("without anything that can be run", () => {
    test("the slot waits with the reason", () => {
      const decision = decide({ problem: AWAY });
      expect(decision.fire).toBeUndefined();
      expect(decision.status).toMatchObject({ phase: "Pending", decidedUntil: MARKED.decidedUntil });
      expect(condition(decision, "Ready")).toMatchObject({ status: "False", reason: "Away" });
      expect(decision.wakeAt).toBe(at("02:05:00"));
      expect(decide({ status: decision.status, now: at("02:20:00") }).fire?.slot).toBe(at("02:00:00"));
    });

    test("the run on creation waits too", () => {
      const spec = { runOnCreate: true };
      const { status } = decide({ spec, status: {}, problem: AWAY, now: at("00:00:05") });
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
      const runs = [made("00", "succeeded"), made("01", "failed"), made("02", "failed")];
      const { status } = decide({ runs });
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
      const first = decide({ runs: [made("01", "failed")] }).status;
      const second = decide({ runs: [made("01", "failed"), made("02", "failed")], status: first }).status;
      expect(second.consecutiveFailures).toBe(2);
      expect(decide({ runs: [made("03", "failed")], status: second }).status.consecutiveFailures).toBe(3);
    });

    test("a success begins anew, and is remembered when its Backup is gone", () => {
      const { status } = decide({
        runs: [made("01", "failed"), made("02", "succeeded")],
        status: { ...MARKED, consecutiveFailures: 4 },
      });
      expect(status.consecutiveFailures).toBe(0);
      expect(decide({ status }).status.lastSuccessfulSchedule).toEqual(status.lastSuccessfulSchedule);
    });

    test("one that is tried again by an edit, and succeeds, counts as a success", () => {
      const { status } = decide({ runs: [made("01", "failed")] });
      expect(decide({ runs: [made("01", "succeeded")], status }).status.consecutiveFailures).toBe(0);
    });

    test("the slot of a wrong clock is not the last, and hides no failures", () => {
      const far = "2027-05-24T00:00:00Z";
      const ahead = made("05", "succeeded", { slot: Date.parse(far), scheduledAt: far });
      const known = { at: far, backupRef: { name: ahead.backup.metadata.name } };
      const runs = [made("00", "succeeded"), made("01", "failed"), made("02", "failed"), ahead];
      const { status } = decide({
        runs,
        status: { ...MARKED, consecutiveFailures: 0, countedUntil: far, lastSuccessfulSchedule: known },
      });
      expect(status).toMatchObject({
        consecutiveFailures: 2,
        countedUntil: "2026-05-24T02:00:00Z",
        lastSuccessfulSchedule: { at: "2026-05-24T00:00:00Z" },
      });
      const next = decide({ runs: [...runs, made("03", "failed")], status, now: at("03:00:00") });
      expect(next.status.consecutiveFailures).toBe(3);
    });

    test("one that ends out of turn waits for those before it", () => {
      const spec = { concurrencyPolicy: "Allow" } as const;
      const { status } = decide({ spec, runs: [made("01", "running"), made("02", "failed")] });
      expect(status.consecutiveFailures).toBe(0);
      const after = decide({ spec, status, runs: [made("01", "succeeded"), made("02", "failed")] });
      expect(after.status.consecutiveFailures).toBe(1);
    });
  });

  describe("of failed Backups", () => {
    const failed = ["00", "01", "02"].map((hour) => made(hour, "failed"));
    const names = (row: Row) => decide({ ...row }).prune.map(({ metadata }) => metadata.name);

    test("those beyond the limit go, oldest first", () => {
      const runs = [...failed, made("03", "running")];
      expect(names({ runs, limit: 2 })).toEqual(["nightly-20260524-000000"]);
      expect(names({ runs, limit: 3 })).toEqual([]);
      expect(names({ runs, limit: 0 })).toHaveLength(3);
    });

    test("the one of the newest slot stays, whatever the limit", () => {
      expect(names({ runs: failed, limit: 0 })).toEqual([
        "nightly-20260524-010000",
        "nightly-20260524-000000",
      ]);
    });

    test("what is held, goes already, or is not counted yet stays", () => {
      const held = made("01", "failed", { held: true });
      expect(names({ runs: [held, made("02", "running")], limit: 0 })).toEqual([]);
      const spec = { concurrencyPolicy: "Allow" } as const;
      const runs = [made("00", "running"), made("01", "failed"), made("02", "failed")];
      expect(names({ spec, runs, limit: 0 })).toEqual([]);
    });

    test("what holds snapshots stays, and takes no other's place: only a hook after them failed", () => {
      const whole = ["00", "01", "02"].map((hour) => made(hour, "failed", { holdsData: true }));
      expect(names({ runs: [...whole, made("03", "running")], limit: 0 })).toEqual([]);
      const mixed = [made("00", "failed"), ...whole.slice(1), made("03", "running")];
      expect(names({ runs: mixed, limit: 1 })).toEqual([]);
      expect(names({ runs: mixed, limit: 0 })).toEqual(["nightly-20260524-000000"]);
    });

    test("successes are nothing to the schedule", () => {
      const runs = ["00", "01", "02"].map((hour) => made(hour, "succeeded"));
      expect(names({ runs, limit: 0 })).toEqual([]);
    });
  });
});
