import { describe, expect, test } from "vitest";
import type { Schedule } from "../schedule/schedule_object.ts";
import { schedule } from "../schedule/testing/samples.ts";
import { backup, GROUP, NOW } from "../testing/samples.ts";
import { decideRetention, MOST_AT_ONCE, type ObservedRetention } from "./decide_retention.ts";
import type { SuccessfulBackup } from "./history.ts";
import { afterPruning, type RetentionSettings, type RetentionState } from "./retention_state.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Made {
  readonly at: number;
  readonly origin?: "scheduled" | "manual";
  readonly failed?: boolean;
  readonly cancelled?: boolean;
  readonly held?: boolean;
  readonly paths?: readonly string[];
  readonly bytes?: number;
}

/** A backup that ended at this time. */
const made = (name: string, options: Made) => ({ name, ...options });

/** One a day, the newest last. */
const days = (count: number) =>
  Array.from({ length: count }, (_, i) => made(`day-${i}`, { at: NOW - (count - i) * DAY }));

interface Row {
  readonly retention?: Partial<RetentionSettings> | "none";
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: RetentionState;
  readonly schedules?: readonly Schedule[];
  readonly doubt?: ObservedRetention["doubt"];
}

function decide(backups: readonly ReturnType<typeof made>[], row: Row = {}) {
  const { retention = { keepLatest: 2 }, annotations = {}, schedules = [], status = {}, doubt } = row;
  return decideRetention({
    owner: backup({ metadata: { annotations }, status }),
    retention: retention === "none" ? undefined : { maxShrinkPercent: 50, ...retention },
    history: {
      successes: backups
        .filter(({ failed }) => !failed)
        .map(({ name, at, origin = "scheduled", held = false, paths = ["/pvc/data"], bytes = 1000 }) => ({
          backup: name,
          name,
          at,
          origin,
          held,
          snapshots: paths.map((path) => ({ path, bytes })),
          files: 10,
        })),
      failures: backups
        .filter(({ failed }) => failed)
        .map(({ name, at, cancelled = false }) => ({ name, at, cancelled })),
    },
    doubt,
    schedules,
    now: NOW,
  });
}

const gone = (...args: Parameters<typeof decide>) => decide(...args).prune;
const paused = (decision: ReturnType<typeof decide>) =>
  decision.status.conditions?.find(({ type }) => type === "PruningPaused");

describe("decideRetention()", () => {
  test("what no rule keeps goes, oldest first, and the rest is counted", () => {
    const decision = decide(days(5));
    expect(decision.prune).toEqual(["day-0", "day-1", "day-2"]);
    expect(decision.status).toMatchObject({
      retention: { activeBackupCount: 2 },
      lastSuccessfulBackup: { name: "day-4", at: "2026-05-23T02:13:00Z" },
      consecutiveFailures: 0,
    });
    expect(paused(decision)).toMatchObject({ status: "False" });
    expect(decision.wakeAt).toBe(NOW + HOUR);
  });

  test("without retention nothing is pruned, and nothing is said about it", () => {
    const decision = decide(days(5), {
      retention: "none",
      status: {
        retention: { activeBackupCount: 3 },
        conditions: [
          { type: "PruningPaused", status: "True", reason: "A", message: "b", lastTransitionTime: "" },
        ],
      },
    });
    expect(decision.prune).toEqual([]);
    expect(decision.status.retention).toBeUndefined();
    expect(paused(decision)).toBeUndefined();
    expect(decision.status.lastSuccessfulBackup?.name).toBe("day-4");
  });

  test("nothing goes while it is in doubt what there is, and that is told unless the owner tells it", () => {
    const doubt = { reason: "CatalogShrunk", message: "3 of 5 snapshots are not there." };
    const decision = decide(days(5), { doubt });
    expect(decision.prune).toEqual([]);
    expect(decision.status.retention).toMatchObject({ pausedReason: "CatalogShrunk" });
    expect(paused(decision)).toMatchObject({ status: "True", ...doubt });
    expect(decision.events).toEqual([{ type: "Warning", ...doubt }]);
    expect(decide(days(5), { doubt: { ...doubt, isTold: true } }).events).toEqual([]);
  });

  test("what would go next is shown with the reason", () => {
    expect(decide(days(2)).status.retention).toEqual({
      activeBackupCount: 2,
      next: [{ backup: "day-0", reason: "keepLatest keeps no more than 2" }],
    });
  });

  test("at most eight are shown, and at most so many go at once", () => {
    const many = days(60);
    expect(decide(many)).toMatchObject({ wakeAt: NOW });
    expect(gone(many)).toHaveLength(MOST_AT_ONCE);
    const { status } = decide(many, { doubt: { reason: "NotReady", message: "It is not." } });
    expect(status.retention?.next).toHaveLength(8);
  });

  test("days are those of the schedule's zone, and UTC where schedules differ", () => {
    // In Los Angeles the first two are of one day; in UTC they are not.
    const backups = ["2026-05-20T21:00Z", "2026-05-21T05:00Z", "2026-05-21T20:00Z"].map((time, i) =>
      made(`b-${i}`, { at: Date.parse(time) }),
    );
    const west = schedule({ spec: { schedule: { timezone: "America/Los_Angeles" } } });
    const retention = { keepDaily: 9 };
    expect(gone(backups, { retention, schedules: [west] })).toEqual(["b-0"]);
    expect(gone(backups, { retention })).toEqual(["b-1"]);
    expect(gone(backups, { retention, schedules: [west, schedule()] })).toEqual(["b-1"]);
    const { timezone } = west.spec.schedule;
    expect(gone(backups, { retention: { ...retention, timezone }, schedules: [schedule()] })).toEqual([
      "b-0",
    ]);
  });

  test("a zone that nobody knows pauses it, and is no other zone", () => {
    const retention = { keepDaily: 1, timezone: "Mars/Olympus" };
    const decision = decide(days(3), { retention });
    expect(decision.prune).toEqual([]);
    expect(decision.status.retention?.pausedReason).toBe("InvalidTimezone");
    expect(decision.events).toMatchObject([{ reason: "InvalidTimezone" }]);
  });

  describe("never prunes", () => {
    test.each([
      ["a manual backup", { origin: "manual" as const }],
      ["a failed one", { failed: true }],
      ["what is held", { held: true }],
    ])("%s, nor lets it take a place", (_, options) => {
      const old = made("old", { at: NOW - 90 * DAY, ...options });
      expect(gone([old, ...days(2)])).toEqual([]);
      expect(gone([old, ...days(3)])).toEqual(["day-0"]);
    });

    test("the newest success, whatever the rules say", () => {
      expect(gone(days(1), { retention: { keepAnnual: 1 } })).toEqual([]);
      expect(gone([made("only", { at: NOW - 900 * DAY })], { retention: { keepHourly: 1 } })).toEqual([]);
    });
  });

  describe("of several sources", () => {
    test("a Backup goes only when none of its sources is kept", () => {
      const backups = [
        made("both", { at: NOW - 3 * DAY, paths: ["/pvc/data", "/pvc/logs"] }),
        made("data-1", { at: NOW - 2 * DAY }),
        made("data-2", { at: NOW - DAY }),
      ];
      const retention = { keepLatest: 1 };
      expect(gone(backups, { retention })).toEqual(["data-1"]);
      const later = made("both-again", { at: NOW - 1, paths: ["/pvc/data", "/pvc/logs"] });
      expect(gone([...backups, later], { retention })).toEqual(["both", "data-1", "data-2"]);
    });

    test("one that shrank is noticed beside a large one", () => {
      const both = (name: string, at: number, logs: number): SuccessfulBackup<string> => ({
        backup: name,
        name,
        at,
        origin: "scheduled",
        held: false,
        snapshots: [
          { path: "/pvc/data", bytes: 1000 },
          { path: "/pvc/logs", bytes: logs },
        ],
      });
      const successes = [
        both("a", NOW - 3 * DAY, 900),
        both("b", NOW - 2 * DAY, 900),
        both("c", NOW - DAY, 1),
      ];
      const { status } = decideRetention({
        owner: backup(),
        retention: { keepLatest: 1, maxShrinkPercent: 50 },
        history: { successes, failures: [] },
        schedules: [],
        now: NOW,
      });
      expect(status.retention?.pausedReason).toBe("SourceShrank");
    });
  });

  describe("pauses", () => {
    const small = [...days(4), made("small", { at: NOW - HOUR, bytes: 10 })];

    test("when a source shrank, shows what would go, and says how to go on", () => {
      const decision = decide(small);
      expect(decision.prune).toEqual([]);
      expect(decision.status.retention).toMatchObject({
        pausedReason: "SourceShrank",
        next: [{ backup: "day-0" }, { backup: "day-1" }, { backup: "day-2" }],
      });
      const message = `The source shrank to 10 bytes in small, from 1000 as the median of the runs before it: if data is missing, restore an earlier snapshot; if the source is meant to be this small, acknowledge it, and pruning goes on. To acknowledge it, set the annotation ${GROUP}/acknowledge-shrink=small.`;
      expect(paused(decision)).toMatchObject({ status: "True", reason: "SourceShrank", message });
      expect(decision.events).toEqual([{ type: "Warning", reason: "SourceShrank", message }]);
      expect(decide(small, { status: decision.status }).events).toEqual([]);
    });

    test("until it is acknowledged; the one that was accepted stays as the measure", () => {
      const annotations = { [`${GROUP}/acknowledge-shrink`]: "small" };
      expect(gone(small, { annotations })).toEqual(["day-0", "day-1", "day-2"]);
      const later = made("small-2", { at: NOW - 1, bytes: 11 });
      expect(gone([...small, later], { annotations, retention: { keepLatest: 1 } })).toEqual([
        "day-0",
        "day-1",
        "day-2",
        "day-3",
      ]);
    });

    test("by as much as is said", () => {
      expect(gone(small, { retention: { keepLatest: 2, maxShrinkPercent: 100 } })).toHaveLength(3);
      const less = [...days(4), made("less", { at: NOW - HOUR, bytes: 800 })];
      expect(gone(less)).toHaveLength(3);
      expect(gone(less, { retention: { keepLatest: 2, maxShrinkPercent: 10 } })).toEqual([]);
    });

    const failing = (count: number) =>
      Array.from({ length: count }, (_, i) => made(`bad-${i}`, { at: NOW - HOUR + i, failed: true }));

    test("on failures in a row, until one succeeds or it is acknowledged", () => {
      const decision = decide([...days(4), ...failing(3)]);
      expect(decision.prune).toEqual([]);
      expect(paused(decision)).toMatchObject({ status: "True", reason: "RepeatedFailures" });
      expect(paused(decision)?.message).toContain("acknowledge-failures=day-3");
      expect(decision.status.consecutiveFailures).toBe(3);
      const annotations = { [`${GROUP}/acknowledge-failures`]: "day-3" };
      expect(gone([...days(4), ...failing(3)], { annotations })).toEqual(["day-0", "day-1"]);
      expect(gone([...days(4), ...failing(3), made("good", { at: NOW })])).toHaveLength(3);
      expect(gone([...days(4), ...failing(2)])).toHaveLength(2);
    });

    test("also on those that somebody cancelled, which are no failures to tell of", () => {
      const ended = failing(3).map((one) => ({ ...one, cancelled: true }));
      const decision = decide([...days(4), ...ended]);
      expect(paused(decision)).toMatchObject({ status: "True", reason: "RepeatedFailures" });
      expect(decision.status.consecutiveFailures).toBe(0);
    });

    test("also on failures whose Backups the schedule has cleared away", () => {
      const schedules = [schedule({ status: { consecutiveFailures: 5 } })];
      const decision = decide([...days(4), ...failing(1)], { schedules });
      expect(paused(decision)).toMatchObject({ status: "True", reason: "RepeatedFailures" });
      expect(decision.status.consecutiveFailures).toBe(5);
    });
  });

  test.each([
    ["is the last where its Backup is gone", NOW - HOUR, 1],
    ["is unknown where it is from the future", NOW + 365 * DAY, 2],
  ])("a success that was told of %s", (_, ended, consecutiveFailures) => {
    const failed = [NOW - 2 * HOUR, NOW].map((at) => made(`bad-${at}`, { at, failed: true }));
    const lastSuccessfulBackup = { name: "told", at: new Date(ended).toISOString() };
    for (const retention of [{ keepLatest: 2 }, "none"] as const) {
      const { status, wakeAt } = decide(failed, { status: { lastSuccessfulBackup }, retention });
      expect(status.consecutiveFailures).toBe(consecutiveFailures);
      expect(status.lastSuccessfulBackup).toEqual(ended > NOW ? undefined : lastSuccessfulBackup);
      expect(wakeAt).toBe(NOW + HOUR);
    }
  });

  test("afterPruning() says when and how many, and nothing where none went", () => {
    const { status } = decide(days(3));
    expect(afterPruning(status, 1, NOW).retention).toMatchObject({
      lastPruneAt: "2026-05-24T02:13:00Z",
      lastPruneDeleted: 1,
      activeBackupCount: 2,
    });
    expect(afterPruning(status, 0, NOW)).toBe(status);
    const before = { lastPruneAt: "2026-05-01T00:00:00Z", lastPruneDeleted: 7 };
    expect(decide(days(2), { status: { retention: before } }).status.retention).toMatchObject(before);
  });
});
