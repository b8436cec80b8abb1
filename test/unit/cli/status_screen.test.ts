import { describe, expect, test } from "vitest";
import { statusLines } from "../../../src/cli/status/status_lines.ts";
import {
  backupOf,
  claim,
  condition,
  foundBackup,
  NOW,
  native,
  plain,
  recipe,
  scheduleOf,
} from "../../../src/cli/testing/cli_samples.ts";
import { PRIME_FOR } from "../../../src/core/volumes/populator/population_marks.ts";
import { STAGED_FOR } from "../../../src/core/volumes/staging/staged_marks.ts";
import { DERIVED_ANNOTATIONS } from "../../../src/kinds/kopiur/annotations.ts";
import type { Backup } from "../../../src/kinds/kopiur/generated/backup.ts";
import type { Repository } from "../../../src/kinds/kopiur/generated/repository.ts";
import type { Restore } from "../../../src/kinds/kopiur/generated/restore.ts";
import { type Seen, viewOfSeen } from "./view_of_seen.ts";

const done = (at: string) => ({ timing: { endTime: at } });
const good = backupOf("data", "good", done("2026-05-24T03:00:00Z"));
const leftOut = (at: string, reason = "StillRunning") =>
  scheduleOf(
    "data",
    {},
    {
      lastSkippedSchedule: { at, reason },
      conditions: [condition("BackupSkipped", "True", reason, "an earlier Backup still runs")],
    },
  );
const underWay = (reason: string, of = "data") =>
  backupOf(of, "now", {
    phase: "Running",
    snapshots: [],
    conditions: [condition("Reconciling", "True", reason, "its node does not answer")],
  });
const rowOf = (seen: Seen) => {
  const [row] = viewOfSeen({ claims: [claim("data")], ...seen }, NOW).volumes;
  if (!row) throw new Error("there is a volume");
  return row;
};

describe("whether a volume is protected", () => {
  test.each<[what: string, seen: Seen, protection: string, wrong: readonly unknown[]]>([
    ["nothing names it", {}, "no", ["no BackupConfig names it"]],
    ["it was never backed up", { configs: [recipe("data")], schedules: [scheduleOf("data")] }, "not yet", []],
    ["nobody schedules it", { configs: [recipe("data")], backups: [good] }, "by hand", []],
    [
      "all is well",
      { configs: [recipe("data")], schedules: [scheduleOf("data")], backups: [good] },
      "yes",
      [],
    ],
    [
      "its schedule is suspended",
      { configs: [recipe("data")], schedules: [scheduleOf("data", { suspend: true })], backups: [good] },
      "by hand",
      ["schedule/data-nightly: it is suspended"],
    ],
    [
      "its recipe cannot be run",
      {
        configs: [
          recipe("data", {
            phase: "Failed",
            conditions: [condition("Stalled", "True", "Bad", "no such class")],
          }),
        ],
        backups: [good],
      },
      "by hand",
      ["config/data: no such class"],
    ],
    [
      "its recipe keeps all backups, for its source shrank",
      {
        configs: [
          recipe("data", { conditions: [condition("PruningPaused", "True", "SourceShrank", "data shrank")] }),
        ],
        schedules: [scheduleOf("data")],
        backups: [good],
      },
      "yes",
      ["config/data: data shrank"],
    ],
    [
      "the last backup failed",
      {
        configs: [recipe("data")],
        schedules: [scheduleOf("data")],
        backups: [
          good,
          backupOf("data", "bad", {
            phase: "Failed",
            snapshots: [],
            failure: { errorClass: "Full", message: "the bucket is full", retry: "structural" },
            ...done("2026-05-24T09:00:00Z"),
          }),
        ],
      },
      "yes",
      ["backup/bad failed: the bucket is full"],
    ],
    [
      "a backup failed before the last good one",
      {
        configs: [recipe("data")],
        schedules: [scheduleOf("data")],
        backups: [
          good,
          backupOf("data", "bad", { phase: "Failed", snapshots: [], ...done("2026-05-24T01:00:00Z") }),
        ],
      },
      "yes",
      [],
    ],
    [
      "nobody begins its runs",
      {
        configs: [recipe("data")],
        schedules: [scheduleOf("data", {}, { nextSchedule: { at: "2026-05-24T10:00:00Z" } })],
        backups: [good],
      },
      "yes",
      [expect.stringMatching(/due 2h ago has not begun: is the operator running/)],
    ],
    [
      "its last run was left out",
      { configs: [recipe("data")], schedules: [leftOut("2026-05-24T09:00:00Z")], backups: [good] },
      "yes",
      ["schedule/data-nightly: an earlier Backup still runs"],
    ],
    [
      "a run was left out before the last good backup",
      { configs: [recipe("data")], schedules: [leftOut("2026-05-24T01:00:00Z")], backups: [good] },
      "yes",
      [],
    ],
    [
      "its last run was left out as it was suspended",
      {
        configs: [recipe("data")],
        schedules: [leftOut("2026-05-24T09:00:00Z", "Suspended")],
        backups: [good],
      },
      "yes",
      [],
    ],
    [
      "its backup is held up",
      {
        configs: [recipe("data")],
        schedules: [scheduleOf("data")],
        backups: [good, underWay("NodeSilent")],
      },
      "yes",
      ["backup/now: its node does not answer"],
    ],
    [
      "its backup goes on",
      { configs: [recipe("data")], schedules: [scheduleOf("data")], backups: [good, underWay("Running")] },
      "yes",
      [],
    ],
    [
      "a backup of another recipe is held up",
      {
        configs: [recipe("data")],
        schedules: [scheduleOf("data")],
        backups: [good, underWay("NodeSilent", "other")],
      },
      "yes",
      [],
    ],
  ])("%s", (_, seen, protection, wrong) => {
    expect(rowOf(seen)).toMatchObject({ protection, wrong });
  });

  test("a snapshot that was found under its identity counts as its backup", () => {
    const identity = { username: "data", hostname: "home", sourcePath: "/data" };
    const found = (uniqueID: string) => foundBackup(identity, "found", { uniqueID });
    const inPlace = (of: string) => {
      const { resolved } = recipe(of).status ?? {};
      return recipe(of, {
        resolved: { ...resolved, repository: { kind: "Repository", name: "store", uniqueID: "r1" } },
      });
    };
    const lastGood = (of: string, uniqueID: string) =>
      rowOf({ configs: [inPlace(of)], backups: [found(uniqueID)] }).lastGood;
    expect(lastGood("data", "r1")).toMatchObject({ object: { name: "found" } });
    expect(lastGood("other", "r1")).toBeUndefined();
    expect(lastGood("data", "r2")).toBeUndefined();
  });

  test("a snapshot that does not hold all of it is no backup of it", () => {
    const identity = { username: "data", hostname: "home", sourcePath: "/data" };
    const { resolved } = recipe("data").status ?? {};
    const repository = { kind: "Repository", name: "store", uniqueID: "r1" };
    const configs = [recipe("data", { resolved: { ...resolved, repository } })];
    const lacking = (backup: Backup): Backup => {
      const snapshots = backup.status?.snapshots?.map((one) => ({ ...one, incomplete: "3 files" }));
      return { ...backup, status: { ...backup.status, snapshots } } as Backup;
    };
    const newer = lacking(backupOf("data", "newer", done("2026-05-24T09:00:00Z")));
    const found = lacking(foundBackup(identity, "found", { uniqueID: "r1" }));
    const rows = [[newer], [found], [newer, good], [good, found]].map((backups) =>
      rowOf({ configs, schedules: [scheduleOf("data")], backups }),
    );
    expect(rows.map(({ protection, lastGood, wrong }) => [protection, lastGood?.object.name, wrong])).toEqual(
      [
        ["not yet", undefined, ["backup/newer does not hold all of it: 3 files"]],
        ["not yet", undefined, ["backup/found does not hold all of it: 3 files"]],
        ["yes", "good", ["backup/newer does not hold all of it: 3 files"]],
        ["yes", "good", []],
      ],
    );
  });

  test("of a backup of several volumes, its own snapshot counts", () => {
    const [own] = good.status?.snapshots ?? [];
    const other = { ...own, pvc: "home/other", incomplete: "3 files" };
    const backups = [backupOf("data", "both", { snapshots: [other, own] })];
    expect(rowOf({ configs: [recipe("data")], backups })).toMatchObject({
      lastGood: { object: { name: "both" } },
      wrong: [],
    });
  });

  test("the newest good backup counts, with the size of this volume", () => {
    const older = backupOf("data", "older", done("2026-05-20T03:00:00Z"));
    expect(rowOf({ configs: [recipe("data")], backups: [older, good] }).lastGood).toMatchObject({
      object: { kind: "Backup", name: "good" },
      at: "2026-05-24T03:00:00Z",
      bytes: 2048,
    });
  });
});

describe("a volume of a recipe over several namespaces", () => {
  const origin = "ops/all";
  const own = recipe("data");
  const annotations = { [DERIVED_ANNOTATIONS.from]: origin };
  const repeated = { ...own, metadata: { ...own.metadata, name: "all-1x2y3z", annotations } };
  const nightly = (namespace: string) => {
    const schedule = scheduleOf("all");
    return { ...schedule, metadata: { ...schedule.metadata, namespace } };
  };
  const seen = { configs: [repeated], backups: [good] };

  test("is protected by the schedule of that recipe", () => {
    expect(rowOf({ ...seen, schedules: [nightly("ops")] })).toMatchObject({
      protection: "yes",
      nextRun: "2026-05-25T03:00:00Z",
      wrong: [],
    });
  });

  test("is not protected by a schedule of the same name elsewhere", () => {
    expect(rowOf({ ...seen, schedules: [nightly("home")] })).toMatchObject({ protection: "by hand" });
  });

  test("says whose schedule it is where that cannot be seen", () => {
    const hidden = new Set(["ops"]);
    expect(rowOf({ ...seen, hidden })).toMatchObject({ protection: "elsewhere", scheduledBy: origin });
    expect(rowOf({ ...seen, backups: [], hidden })).toMatchObject({ protection: "not yet" });
    const overview = viewOfSeen({ claims: [claim("data")], ...seen, hidden }, NOW);
    const options = { now: NOW, paint: plain, all: false, wide: false, place: "namespace home" };
    const lines = statusLines(overview, options);
    expect(lines[0]).toBe("0 of 1 volume in namespace home is protected; nothing else needs a look.");
    expect(lines).toContainEqual(expect.stringMatching(/^data +by ops\/all +9h ago/));
  });
});

const store = native<Repository>("Repository", "store", {
  spec: { engine: "kopia", backend: { filesystem: { pvc: { name: "shelf" } } } },
  status: {
    phase: "Ready",
    lastContactAt: "2026-05-24T11:59:00Z",
    catalog: { snapshotCount: 7 },
    storageStats: { storedBytes: 1024 },
  },
});

test("claims that hold a repository need no backup, and those of runs are not shown", () => {
  const claims = [
    claim("shelf"),
    claim("copy", { [STAGED_FOR]: "uid" }),
    claim("prime", { [PRIME_FOR]: "uid" }),
  ];
  const { volumes } = viewOfSeen({ claims, repositories: [store] }, NOW);
  expect(volumes.map(({ name, protection }) => [name, protection])).toEqual([["shelf", "store"]]);
});

test.each<[type: string, bad: "True" | "False"]>([
  ["DeletionsHeld", "True"],
  ["CatalogShrunk", "True"],
  ["StorageHealthy", "False"],
])("a repository that is ready and whose %s is %s needs a look", (type, bad) => {
  const told = (status: "True" | "False") => {
    const conditions = [condition(type, status, "Why", "look at it")];
    const repositories = [{ ...store, status: { ...store.status, conditions } } as Repository];
    return viewOfSeen({ repositories }, NOW).problems.map(({ object, why }) => [object.kind, why]);
  };
  expect(told(bad)).toEqual([["Repository", "look at it"]]);
  expect(told(bad === "True" ? "False" : "True")).toEqual([]);
});

test("of a repository all is told that is wrong", () => {
  const conditions = [
    condition("StorageHealthy", "False", "BreakerOpen", "the storage failed"),
    condition("CatalogShrunk", "True", "SnapshotsMissing", "7 of 9 are missing"),
    condition("Ready", "False", "Unreachable", "it does not answer"),
  ];
  const status = { ...store.status, phase: "Degraded", conditions };
  const { problems } = viewOfSeen({ repositories: [{ ...store, status } as Repository] }, NOW);
  expect(problems.map(({ why }) => why)).toEqual([
    "7 of 9 are missing",
    "the storage failed",
    "it does not answer",
  ]);
});

test("a restore that has to be done once more is wrong, though it is done", () => {
  const restored = (status: "True" | "False") => {
    const conditions = [condition("VolumeModifiedDuringRestore", status, "Used", "web-0 came back.")];
    const restore = native<Restore>("Restore", "r", { spec: {}, status: { phase: "Completed", conditions } });
    return viewOfSeen({ restores: [restore] }, NOW).problems.map(({ why }) => why);
  };
  expect([restored("True"), restored("False")]).toEqual([["web-0 came back."], []]);
});

test("one screen says it all, the unprotected first", () => {
  const restore = native<Restore>("Restore", "back", {
    spec: {},
    status: {
      phase: "Failed",
      failure: { errorClass: "TargetFull", message: "the volume is full", retry: "structural" },
    },
  });
  const running = backupOf("data", "now", { phase: "Running", snapshots: [] });
  const overview = viewOfSeen(
    {
      claims: [claim("data"), claim("attic")],
      configs: [recipe("data")],
      schedules: [scheduleOf("data")],
      backups: [good, running],
      repositories: [store],
      restores: [restore],
    },
    NOW,
  );
  const lines = statusLines(overview, {
    now: NOW,
    paint: plain,
    all: false,
    wide: false,
    place: "namespace home",
  });
  expect(lines).toEqual([
    "1 of 2 volumes in namespace home is protected; 2 things need a look.",
    "",
    "VOLUME   PROTECTED   LAST GOOD BACKUP   SIZE      NEXT RUN   WHAT IS WRONG",
    "attic    no          -                  -         -          no BackupConfig names it",
    "data     yes         9h ago             2.0 KiB   in 15h",
    "",
    "REPOSITORY   PHASE   ENGINE   SNAPSHOTS   STORED    LAST CONTACT",
    "store        Ready   kopia    7           1.0 KiB   1m ago",
    "",
    "under way: Backup now (Running)",
    "",
    "wrong: Restore back: the volume is full",
  ]);
  const wide = statusLines(overview, {
    now: NOW,
    paint: plain,
    all: true,
    wide: true,
    place: "all namespaces",
  });
  expect(wide.join("\n")).toContain("home/data");
  expect(wide.join("\n")).toMatch(/LAST GOOD BACKUP +BACKUP +SIZE/);
});

test("what is under way says how far it is, and what it waits for", () => {
  const waiting = [condition("Reconciling", "True", "Queued", "3 running, 2 waiting")];
  const restore = (name: string, status: object) => native<Restore>("Restore", name, { spec: {}, status });
  const { activity } = viewOfSeen(
    {
      backups: [
        backupOf("data", "new", { phase: "Pending", conditions: waiting }),
        backupOf("data", "now", { phase: "Running", progress: { percent: 40, bytes: 4, files: 1 } }),
        underWay("NodeSilent"),
        good,
      ],
      restores: [
        restore("back", { phase: "Restoring", progress: { bytesRestored: 1, bytesTotal: 3 } }),
        restore("done", { phase: "Completed" }),
      ],
    },
    NOW,
  );
  expect(activity).toMatchObject([
    { object: { kind: "Backup", name: "new" }, phase: "Pending", why: "3 running, 2 waiting" },
    { phase: "Running", progress: { percent: 40, bytes: 4, files: 1 } },
    { phase: "Running", why: "its node does not answer" },
    { object: { kind: "Restore" }, phase: "Restoring", progress: { percent: 33, bytes: 1 } },
  ]);
});

test("schedules say when they run next, and problems what helps", () => {
  const conditions = [condition("DeletionsHeld", "True", "DeletionHeld", "30 at once")];
  const { schedules, problems } = viewOfSeen(
    {
      schedules: [scheduleOf("data"), scheduleOf("attic", { suspend: true })],
      repositories: [{ ...store, status: { ...store.status, conditions } } as Repository],
    },
    NOW,
  );
  expect(schedules).toMatchObject([
    { cron: "0 3 * * *", suspended: false, nextRun: "2026-05-25T03:00:00Z" },
    { object: { name: "attic-nightly" }, suspended: true },
  ]);
  expect(problems).toMatchObject([
    { why: "30 at once", remedy: expect.stringContaining("kubectl annotate") },
  ]);
});
