import { expect, test } from "vitest";
import type { Maintenance } from "../../kinds/kopiur/generated/maintenance.ts";
import type { Restore } from "../../kinds/kopiur/generated/restore.ts";
import { failureOf } from "../frame/failure_of.ts";
import { standText } from "../frame/show_progress.ts";
import { doubtOf, outcomeLines as restoreLines } from "../restore/restore_outcome.ts";
import { backupOf, condition, native, plain } from "../testing/cli_samples.ts";
import { outcomeLines as backupLines } from "./backup_now.ts";
import { differenceText } from "./diff.ts";
import { findingLines } from "./doctor.ts";
import { isOver } from "./maintenance_run.ts";
import { damage } from "./verify.ts";

test("a backup's outcome has its figures, its snapshots and what they do not hold", () => {
  const losses = [{ kind: "Socket", count: 2, reason: "sockets are not kept" }];
  const stats = { sizeBytes: 2048, files: 3, bytesNew: 1024, filesFailed: 1 };
  expect(backupLines(backupOf("data", "b", { stats, timing: { durationSeconds: 61 }, losses }))).toEqual([
    "backup/b succeeded: 2.0 KiB, 3 files, 1.0 KiB new, in 1m1s",
    "  home/data is snapshot id-b",
    "  not kept: 1 file that could not be read",
    "  not kept: 2 × Socket: sockets are not kept",
  ]);
});

test("a backup that found nothing new says so", () => {
  const [snapshot] = backupOf("data", "b", {}).status?.snapshots ?? [];
  expect(backupLines(backupOf("data", "b", { snapshots: [{ ...snapshot, unchanged: true }] }))[0]).toBe(
    "backup/b succeeded: nothing had changed since the last backup",
  );
});

test("a restore's outcome says what came back, or that there was nothing", () => {
  const of = (status: object) => restoreLines(native<Restore>("Restore", "r", { spec: {}, status }));
  expect(of({ progress: { bytesRestored: 1024, filesRestored: 2 } })).toEqual([
    "restore/r is done: 1.0 KiB, 2 files",
  ]);
  expect(of({ resolved: { noSnapshot: true } })[0]).toContain("the volume is empty");
  expect(of({ losses: [{ kind: "Owner", count: 1, reason: "not root" }] })[1]).toBe(
    "  not brought back: 1 × Owner: not root",
  );
});

test("a restore's outcome says what its condition says, where that is not told already", () => {
  const of = (status: object) => restoreLines(native<Restore>("Restore", "r", { spec: {}, status })).slice(1);
  const conditions = (reason: string) => [condition("Restored", "True", reason, "So it is.")];
  for (const reason of ["Incomplete", "Unrecorded", "Unreported"])
    expect(of({ conditions: conditions(reason) })).toEqual(["  So it is."]);
  expect(of({ conditions: conditions("Complete") })).toEqual([]);
  const losses = [{ kind: "Owner", count: 1, reason: "not root" }];
  expect(of({ conditions: conditions("WithLosses"), losses, incomplete: "3 files" })).toEqual([
    "  not brought back: 1 × Owner: not root",
    "  the snapshot does not hold the whole source: 3 files",
  ]);
});

test("a restore into a volume that something used meanwhile is no success", () => {
  const of = (status: "True" | "False") => {
    const conditions = [condition("VolumeModifiedDuringRestore", status, "Used", "web-0 came back.")];
    return doubtOf(native<Restore>("Restore", "r", { spec: {}, status: { phase: "Completed", conditions } }));
  };
  expect(of("False")).toBeUndefined();
  expect(of("True")).toMatchObject({
    message: "restore/r is done, and its data is in doubt",
    why: "web-0 came back.",
    fix: expect.stringMatching(/^Restore once more .* holdfast explain restore\/r -n home shows more\.$/),
    code: 1,
  });
});

test("a failure is told with the engine's own words, and sends nobody to a log that there is not", () => {
  const failure = {
    errorClass: "EngineFailed",
    message: "it ended",
    remedy: "Look.",
    stderrTail: "rename a: file exists\n",
  };
  const problem = failureOf(backupOf("data", "b", { phase: "Failed", failure }));
  expect(problem.why).toBe("it ended\n       the engine says: rename a: file exists");
  expect(problem.fix).toBe("Look.");
});

test("a failure is told in the object's words, with its remedy and where to read on", () => {
  const failure = { errorClass: "Full", message: "no room", remedy: "Make room.", retry: "structural" };
  expect(failureOf(backupOf("data", "b", { phase: "Failed", failure, logTail: "lines" }))).toMatchObject({
    message: "backup/b is Failed",
    why: "no room",
    fix: "Make room. holdfast logs backup/b -n home shows more.",
    code: 1,
  });
});

test("a stand is the phase, and what it waits for", () => {
  const waiting = [condition("Ready", "False", "Queued", "It waits.")];
  expect(standText(native("Backup", "b", { status: { phase: "Pending", conditions: waiting } }))).toBe(
    "Pending: It waits.",
  );
  expect(standText(native("Backup", "b"))).toBe("Pending");
});

const stood = condition("Stalled", "True", "Old", "it failed before");
test.each<[what: string, status: object, over: boolean]>([
  ["not looked at yet", {}, false],
  ["another request's", { phase: "Ready", handledRunRequest: "quick 0" }, false],
  ["under way", { phase: "Running", handledRunRequest: "quick 1" }, false],
  ["waiting for its turn", { phase: "Pending", handledRunRequest: "quick 1" }, false],
  ["done", { phase: "Ready", handledRunRequest: "quick 1" }, true],
  ["failed", { phase: "Failed", handledRunRequest: "quick 1" }, true],
  ["never to be taken up", { phase: "Failed", conditions: [condition("Stalled", "True", "Bad", "x")] }, true],
  ["not looked at since it stood still", { conditions: [stood] }, false],
  ["answered by standing still again", { conditions: [stood], handledRunRequest: "quick 1" }, true],
])("a request for maintenance that is %s", (_, status, over) => {
  const of = (status: object) => native<Maintenance>("Maintenance", "m", { spec: {}, status });
  expect(isOver(of(status), "quick 1", of({ conditions: [stood] }))).toBe(over);
});

test("damage is told in full", () => {
  const lastCheck = { at: "2026-01-01T00:00:00Z", healthy: false, problems: ["blob a", "blob b"] };
  expect(damage(native<Maintenance>("Maintenance", "m", { spec: {}, status: { lastCheck } }))).toMatchObject({
    why: "blob a; blob b",
    fix: expect.stringContaining("Keep the storage as it is"),
  });
});

test("of missing data, the Backups and files that are hit are told", () => {
  const hit = { snapshotID: "k1", identity: "app@shop:/data", files: 2, examples: ["a", "b"] };
  const of = (missing: object) => {
    const lastCheck = { at: "2026-01-01T00:00:00Z", healthy: false, problems: ["pack p"], missing };
    return damage(native<Maintenance>("Maintenance", "m", { spec: {}, status: { lastCheck } })).why;
  };
  expect(of({ packs: 1, snapshots: 3, hit: [{ ...hit, backup: "shop/first" }, hit] })).toBe(
    "pack p; snapshots that are not whole: Backup shop/first (2 files, a, b); snapshot k1 of app@shop:/data (2 files, a, b); 1 more",
  );
  expect(of({ packs: 1, snapshots: 0 })).toBe("pack p; snapshots that are not whole: none");
  expect(of({ packs: 1 })).toBe("pack p; the list of snapshots cannot be read");
});

test("differences and findings are lines", () => {
  const entry = { name: "a", type: "File", size: 1, mode: 0, modifiedAt: "" } as const;
  expect(differenceText({ path: "d", change: "added", after: { ...entry, type: "Folder" } }, plain)).toBe(
    "+ d/",
  );
  expect(differenceText({ path: "a", change: "removed", before: entry }, plain)).toBe("- a");
  const changed = {
    path: "a",
    change: "changed",
    what: ["size"],
    before: entry,
    after: { ...entry, size: 2 },
  } as const;
  expect(differenceText(changed, plain)).toBe("~ a (size 1 B → 2 B)");
  expect(
    findingLines(
      [
        { level: "ok", what: "fine" },
        { level: "error", what: "bad", why: "w", fix: "f" },
      ],
      plain,
    ),
  ).toEqual(["ok       fine", "error    bad", "           why: w", "           fix: f"]);
});
