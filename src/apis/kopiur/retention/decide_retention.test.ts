import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { RetentionSpec } from "../../../kinds/kopiur/parts.ts";
import type { ObjectMeta } from "../../../kube/object.ts";
import { backup, NOW, RESOLVED_IDENTITY, readyConfig, readyNas, schedule } from "../testing/samples.ts";
import { afterPruning, decideRetention, MOST_AT_ONCE } from "./decide_retention.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const REPOSITORY = {
  kind: "Repository",
  name: "nas",
  namespace: "billing",
  uid: "uid-nas",
  uniqueID: "id-1",
};

interface Made {
  readonly at: number;
  readonly metadata?: Partial<ObjectMeta>;
  readonly origin?: "scheduled" | "manual";
  readonly phase?: string;
  readonly paths?: readonly string[];
  readonly bytes?: number;
  readonly files?: number;
  readonly status?: object;
}

/** A Backup that ended at this time. */
function made(name: string, options: Made): Backup {
  const { at, metadata, origin = "scheduled", phase = "Succeeded", paths = ["/pvc/data"] } = options;
  const { bytes = 1000, files = 10 } = options;
  const labels = origin === "scheduled" ? { [LABELS.backupSchedule]: "nightly" } : {};
  const snapshots = paths.map((sourcePath) => ({
    kopiaSnapshotID: `k-${name}`,
    identity: { username: "data", hostname: "billing", sourcePath },
    sizeBytes: bytes,
  }));
  const creationTimestamp = new Date(at - 60_000).toISOString();
  return backup({
    metadata: { name, labels, creationTimestamp, ...metadata },
    status: {
      phase,
      origin,
      resolved: { repository: REPOSITORY },
      timing: { endTime: new Date(at).toISOString() },
      stats: { files },
      ...(phase === "Succeeded" ? { snapshots } : {}),
      ...options.status,
    },
  });
}

/** One a day, the newest last. */
const days = (count: number, more: Omit<Made, "at"> = {}) =>
  Array.from({ length: count }, (_, i) => made(`day-${i}`, { at: NOW - (count - i) * DAY, ...more }));

interface Row {
  readonly retention?: Partial<RetentionSpec> | "none";
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: object;
  readonly schedules?: readonly BackupSchedule[];
  readonly needed?: readonly string[];
  readonly repository?: Parameters<typeof readyNas>[0];
  readonly now?: number;
}

function decide(backups: readonly Backup[], row: Row = {}) {
  const { retention = { keepLatest: 2 }, annotations = {}, schedules = [], needed = [], now = NOW } = row;
  const rules = retention === "none" ? {} : { retention: { maxShrinkPercent: 50, ...retention } };
  const config = readyConfig({
    metadata: { annotations },
    spec: rules,
    status: { resolved: { repository: REPOSITORY, identity: RESOLVED_IDENTITY }, ...row.status },
  });
  const repository = readyNas(row.repository);
  return decideRetention({ config, repository, backups, schedules, needed: new Set(needed), now });
}

const gone = (...args: Parameters<typeof decide>) =>
  decide(...args).prune.map(({ metadata }) => metadata.name);
const paused = (decision: ReturnType<typeof decide>) =>
  decision.status.conditions?.find(({ type }) => type === "PruningPaused");

describe("decideRetention()", () => {
  test("what no rule keeps goes, oldest first, and the rest is counted", () => {
    const decision = decide(days(5));
    expect(decision.prune.map(({ metadata }) => metadata.name)).toEqual(["day-0", "day-1", "day-2"]);
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
        conditions: [{ type: "PruningPaused", status: "True" }],
      },
    });
    expect(decision.prune).toEqual([]);
    expect(decision.status.retention).toBeUndefined();
    expect(paused(decision)).toBeUndefined();
    expect(decision.status.lastSuccessfulBackup?.name).toBe("day-4");
  });

  test.each(["True", "Unknown"])("what lost its snapshot pushes nobody out, nor goes: %s", (missing) => {
    const conditions = [{ type: "SnapshotMissing", status: missing }];
    const lost = (name: string, daysAgo: number) =>
      made(name, { at: NOW - daysAgo * DAY, status: { conditions } });
    const backups = [...days(5).slice(0, 3), lost("lost-1", 2), lost("lost-2", 1)];
    const decision = decide(backups, { retention: { keepLatest: 2 } });
    expect(decision.prune.map(({ metadata }) => metadata.name)).toEqual(["day-0"]);
    expect(decision.status).toMatchObject({
      retention: { activeBackupCount: 2 },
      lastSuccessfulBackup: { name: "day-2" },
    });
  });

  test("nothing goes while the repository's list lacks too much", () => {
    const shrunk = {
      type: "CatalogShrunk",
      status: "True",
      reason: "SnapshotsMissing",
      message: "3 of 5 snapshots are not in the list any more. Check the bucket.",
    };
    const decision = decide(days(5), { repository: { status: { conditions: [shrunk] } } });
    expect(decision.prune).toEqual([]);
    expect(decision.status.retention).toMatchObject({ pausedReason: "CatalogShrunk" });
    expect(paused(decision)).toMatchObject({
      status: "True",
      reason: "CatalogShrunk",
      message:
        "It is not certain which snapshots Repository billing/nas holds: 3 of 5 snapshots are not in the list any more. Check the bucket.",
    });
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "CatalogShrunk" }]);
    const over = { ...shrunk, status: "False" };
    expect(gone(days(5), { repository: { status: { conditions: [over] } } })).toHaveLength(3);
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
    const { status } = decide(many, { status: { phase: "Failed" } });
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
    const newer = days(2);
    const old = (options: Omit<Made, "at">) => made("old", { at: NOW - 90 * DAY, ...options });
    const held = { annotations: { [ANNOTATIONS.hold]: "true" } };
    const going = { deletionTimestamp: "2026-05-24T00:00:00Z" };
    const elsewhere = { resolved: { repository: { ...REPOSITORY, uniqueID: "id-2" } } };
    const stranger = [{ kopiaSnapshotID: "k", identity: { username: "x", hostname: "y", sourcePath: "/" } }];

    test.each<[string, Backup]>([
      ["a manual Backup", old({ origin: "manual" })],
      ["what is not said to be scheduled by its status too", old({ status: { origin: "manual" } })],
      ["a failed Backup", old({ phase: "Failed" })],
      ["one that runs", old({ phase: "Running" })],
      ["what is held", old({ metadata: held })],
      ["what goes already", old({ metadata: going })],
      ["what another repository holds", old({ status: elsewhere })],
      ["what was recorded under another identity", old({ status: { snapshots: stranger } })],
      ["what lost its snapshot", old({ status: { orphaned: true } })],
      ["what has no end", old({ status: { timing: {} } })],
      [
        "what ended before it was created, by a clock that was wrong",
        old({ metadata: { creationTimestamp: "2026-05-20T00:00:00Z" } }),
      ],
      ["what is from the future", made("old", { at: NOW + DAY })],
    ])("%s, nor lets it take a place", (_, backup) => {
      expect(gone([backup, ...newer])).toEqual([]);
      expect(gone([backup, ...days(3)])).toEqual(["day-0"]);
    });

    test("what a restore needs now", () => {
      expect(gone(days(3), { needed: ["day-0"] })).toEqual([]);
    });

    test("what somebody pinned in the repository, until it is pinned no more", () => {
      const pinned = (status: string) => {
        const conditions = [
          { type: "SnapshotPinned", status, reason: "Pinned", message: "", lastTransitionTime: "" },
        ];
        return made("old", { at: NOW - 9 * DAY, status: { conditions } });
      };
      expect(gone([pinned("True"), ...days(2)])).toEqual([]);
      expect(gone([pinned("False"), ...days(2)])).toEqual(["old"]);
    });

    test("the newest success, whatever the rules say", () => {
      expect(gone(days(1), { retention: { keepAnnual: 1 } })).toEqual([]);
      expect(gone([made("only", { at: NOW - 900 * DAY })], { retention: { keepHourly: 1 } })).toEqual([]);
    });

    test.each<[string, object]>([
      ["not ready", { phase: "Pending" }],
      ["not ready for what it says now", { observedGeneration: 0 }],
      ["without a known repository", { resolved: { identity: RESOLVED_IDENTITY } }],
    ])("while the recipe is %s", (_, status) => {
      const decision = decide(days(5), { status });
      expect(decision.prune).toEqual([]);
      expect(decision.status.retention?.pausedReason).toBe("ConfigNotReady");
      expect(paused(decision)).toMatchObject({ status: "True", reason: "ConfigNotReady" });
      expect(decision.events).toEqual([]);
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
      const both = (name: string, at: number, logs: number) => {
        const whole = made(name, { at, paths: ["/pvc/data", "/pvc/logs"] });
        const snapshots = whole.status?.snapshots?.map((one, i) =>
          i === 1 ? { ...one, sizeBytes: logs } : one,
        );
        return { ...whole, status: { ...whole.status, ...(snapshots ? { snapshots } : {}) } };
      };
      const backups = [both("a", NOW - 3 * DAY, 900), both("b", NOW - 2 * DAY, 900), both("c", NOW - DAY, 1)];
      expect(decide(backups, { retention: { keepLatest: 1 } }).status.retention?.pausedReason).toBe(
        "SourceShrank",
      );
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
      const message =
        "The source shrank to 10 bytes in small, from 1000 as the median of the runs before it: if data is missing, restore an earlier snapshot; if the source is meant to be this small, acknowledge it, and pruning goes on. To acknowledge it, set the annotation kopiur.home-operations.com/acknowledge-shrink=small.";
      expect(paused(decision)).toMatchObject({ status: "True", reason: "SourceShrank", message });
      expect(decision.events).toEqual([{ type: "Warning", reason: "SourceShrank", message }]);
      expect(decide(small, { status: { conditions: decision.status.conditions } }).events).toEqual([]);
    });

    test("until it is acknowledged; the one that was accepted stays as the measure", () => {
      const annotations = { [ANNOTATIONS.acknowledgeShrink]: "small" };
      expect(gone(small, { annotations })).toEqual(["day-0", "day-1", "day-2"]);
      const later = made("small-2", { at: NOW - 1, bytes: 11 });
      expect(gone([...small, later], { annotations, retention: { keepLatest: 1 } })).toEqual([
        "day-0",
        "day-1",
        "day-2",
        "day-3",
      ]);
    });

    test("by as much as the recipe says", () => {
      expect(gone(small, { retention: { keepLatest: 2, maxShrinkPercent: 100 } })).toHaveLength(3);
      const less = [...days(4), made("less", { at: NOW - HOUR, bytes: 800 })];
      expect(gone(less)).toHaveLength(3);
      expect(gone(less, { retention: { keepLatest: 2, maxShrinkPercent: 10 } })).toEqual([]);
    });

    const failing = (count: number) =>
      Array.from({ length: count }, (_, i) => made(`bad-${i}`, { at: NOW - HOUR + i, phase: "Failed" }));

    test("on failures in a row, until one succeeds or it is acknowledged", () => {
      const decision = decide([...days(4), ...failing(3)]);
      expect(decision.prune).toEqual([]);
      expect(paused(decision)).toMatchObject({ status: "True", reason: "RepeatedFailures" });
      expect(paused(decision)?.message).toContain("acknowledge-failures=day-3");
      expect(decision.status.consecutiveFailures).toBe(3);
      const annotations = { [ANNOTATIONS.acknowledgeFailures]: "day-3" };
      expect(gone([...days(4), ...failing(3)], { annotations })).toEqual(["day-0", "day-1"]);
      expect(gone([...days(4), ...failing(3), made("good", { at: NOW })])).toHaveLength(3);
      expect(gone([...days(4), ...failing(2)])).toHaveLength(2);
    });

    test("also on those that somebody cancelled, which are no failures to tell of", () => {
      const metadata = { annotations: { [ANNOTATIONS.cancel]: "true" } };
      const ended = failing(3).map((one) => ({ ...one, metadata: { ...one.metadata, ...metadata } }));
      const decision = decide([...days(4), ...ended]);
      expect(paused(decision)).toMatchObject({ status: "True", reason: "RepeatedFailures" });
      expect(decision.status.consecutiveFailures).toBe(0);
    });

    test("on them although a success claims to be later, from the future", () => {
      const ahead = made("ahead", { at: NOW + 365 * DAY });
      const decision = decide([...days(4), ahead, ...failing(3)]);
      expect(decision.prune).toEqual([]);
      expect(decision.status).toMatchObject({
        lastSuccessfulBackup: { name: "day-3" },
        consecutiveFailures: 3,
        retention: { pausedReason: "RepeatedFailures" },
      });
      expect(paused(decision)?.message).toContain("acknowledge-failures=day-3");
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
    const failed = [NOW - 2 * HOUR, NOW].map((at) => made(`bad-${at}`, { at, phase: "Failed" }));
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
