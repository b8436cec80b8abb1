import { expect, test } from "vitest";
import { Given } from "../frame/given.ts";
import { backupOf, recipe } from "../testing/cli_samples.ts";
import { refuseIncomplete, safetyLines, safetyPlan } from "./safety_backup.ts";

const configs = [recipe("photos"), recipe("documents", { phase: "Failed" }), recipe("data")];

test.each([
  [{}, "home/data", { type: "Made", config: "data" }],
  [{ "backup-first": true }, "home/data", { type: "Made", config: "data" }],
  [{ "no-backup-first": true }, "home/data", { type: "Skipped" }],
  [{}, "home/other", { type: "Impossible" }],
])("with %j, before %s is overwritten: %j", (options, claim, plan) => {
  expect(safetyPlan(new Given([], options), configs, claim)).toEqual(plan);
});

test("a BackupConfig that cannot run now stops a restore that nobody asked to go without", () => {
  expect(() => safetyPlan(new Given([], {}), configs, "home/documents")).toThrow(
    "BackupConfig documents backs up home/documents, and cannot run now",
  );
  const given = new Given([], { "no-backup-first": true });
  expect(safetyPlan(given, configs, "home/documents")).toEqual({ type: "Skipped" });
});

test("one that does not hold the whole volume is none", () => {
  const made = (more: object) => backupOf("data", "before", { snapshots: [more] });
  expect(() => refuseIncomplete(made({}))).not.toThrow();
  expect(() => refuseIncomplete(made({ incomplete: "nothing could be read" }))).toThrow(
    "the backup before the restore does not hold the whole volume, and nothing was restored",
  );
});

test("one that was asked for and cannot be made is a wrong command line", () => {
  expect(() => safetyPlan(new Given([], { "backup-first": true }), configs, "home/other")).toThrow(
    "no BackupConfig backs up home/other",
  );
});

test("the plan says whether one is made", () => {
  const lines = (["Made", "Skipped", "Impossible"] as const).map((type) =>
    safetyLines({ type, config: "c" }, "data"),
  );
  expect(lines.flat()).toEqual([
    "  first a backup of data is made, by config c; holdfast restore --undo goes back to it",
    "  first NO backup of data is made: what is overwritten cannot be brought back by --undo",
    "  first NO backup of data is made: no BackupConfig backs it up",
  ]);
  expect(safetyLines(undefined, "data")).toEqual([]);
  const [, note = ""] = safetyLines({ type: "Made", config: "c" }, "data", true);
  expect(note).toContain("what it writes from then until it is scaled down is in no backup");
  expect(safetyLines({ type: "Skipped" }, "data", true)).toHaveLength(1);
});
