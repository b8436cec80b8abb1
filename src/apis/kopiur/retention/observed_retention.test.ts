import { describe, expect, test } from "vitest";
import { decideRetention } from "../../../core/retention/decide_retention.ts";
import { NOW } from "../../../core/testing/samples.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import type { BackupSchedule } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { LABELS } from "../../../kinds/kopiur/labels.ts";
import type { RetentionSpec } from "../../../kinds/kopiur/parts.ts";
import type { ObjectMeta } from "../../../kube/object.ts";
import { backup, RESOLVED_IDENTITY, readyConfig, readyNas } from "../testing/samples.ts";
import { observedRetention } from "./observed_retention.ts";

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

const snapshotOf = (name: string, sourcePath = "/pvc/data") => ({
  kopiaSnapshotID: `k-${name}`,
  identity: { username: "data", hostname: "billing", sourcePath },
  sizeBytes: 1000,
});

/** A Backup that ended at this time. */
function made(name: string, options: Made): Backup {
  const { at, metadata, origin = "scheduled", phase = "Succeeded", paths = ["/pvc/data"] } = options;
  const { bytes = 1000, files = 10 } = options;
  const labels = origin === "scheduled" ? { [LABELS.backupSchedule]: "nightly" } : {};
  const snapshots = paths.map((sourcePath) => ({ ...snapshotOf(name, sourcePath), sizeBytes: bytes }));
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
  return decideRetention(
    observedRetention({ config, repository, backups, schedules, needed: new Set(needed), now }),
  );
}

const gone = (...args: Parameters<typeof decide>) =>
  decide(...args).prune.map(({ metadata }) => metadata.name);
const paused = (decision: ReturnType<typeof decide>) =>
  decision.status.conditions?.find(({ type }) => type === "PruningPaused");

describe("observedRetention()", () => {
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

  test("the last Backup that is whole stays while newer ones lack files", () => {
    const lacking = {
      status: { snapshots: [{ ...snapshotOf("x"), incomplete: "pgdata could not be read" }] },
    };
    const newer = days(3, lacking).map((one) => ({
      ...one,
      metadata: { ...one.metadata, name: `new-${one.metadata.name}` },
    }));
    const older = days(5).slice(0, 2);
    expect(gone([...older, ...newer])).toEqual(["day-0", "new-day-0"]);
    expect(gone([...older, ...newer.slice(0, 2), made("whole", { at: NOW - HOUR })])).toContain("day-1");
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

    test.each<[string, object]>([
      ["not ready", { phase: "Pending" }],
      ["not ready for what it says now", { observedGeneration: 0 }],
      ["without a known repository", { resolved: { identity: RESOLVED_IDENTITY } }],
    ])("while the BackupConfig is %s", (_, status) => {
      const decision = decide(days(5), { status });
      expect(decision.prune).toEqual([]);
      expect(decision.status.retention?.pausedReason).toBe("ConfigNotReady");
      expect(paused(decision)).toMatchObject({ status: "True", reason: "ConfigNotReady" });
      expect(decision.events).toEqual([]);
    });
  });

  const failing = (more: Partial<ObjectMeta> = {}) =>
    Array.from({ length: 3 }, (_, i) =>
      made(`bad-${i}`, { at: NOW - HOUR + i, phase: "Failed", metadata: more }),
    );

  test("a source that shrank is noticed by its size, until that is acknowledged", () => {
    const small = [...days(4), made("small", { at: NOW - HOUR, bytes: 10 })];
    expect(paused(decide(small))?.message).toContain(`${ANNOTATIONS.acknowledgeShrink}=small.`);
    const annotations = { [ANNOTATIONS.acknowledgeShrink]: "small" };
    expect(gone(small, { annotations })).toEqual(["day-0", "day-1", "day-2"]);
  });

  test("failures pause it although a success claims to be later, from the future", () => {
    const ahead = made("ahead", { at: NOW + 365 * DAY });
    const decision = decide([...days(4), ahead, ...failing()]);
    expect(decision.prune).toEqual([]);
    expect(decision.status).toMatchObject({
      lastSuccessfulBackup: { name: "day-3" },
      consecutiveFailures: 3,
      retention: { pausedReason: "RepeatedFailures" },
    });
    expect(paused(decision)?.message).toContain(`${ANNOTATIONS.acknowledgeFailures}=day-3`);
  });

  test("those that somebody cancelled are no failures to tell of", () => {
    const ended = failing({ annotations: { [ANNOTATIONS.cancel]: "true" } });
    expect(decide([...days(4), ...ended]).status.consecutiveFailures).toBe(0);
  });
});
