import { describe, expect, test } from "vitest";
import { type KubeObject, keyOf } from "../../kube/object.ts";
import { Metrics } from "../../observe/metrics.ts";
import { slotKey } from "./config/target_slots.ts";
import { autorestoreGauges } from "./gauges.ts";
import {
  claimed,
  sampleBackup,
  sampleConfig,
  sampleRepository,
  sampleRestore,
  sampleTarget,
} from "./testing/samples.ts";

async function scraped(prefix: string, ...objects: readonly KubeObject[]): Promise<readonly string[]> {
  const cacheOf = (kind: string) => {
    const found = objects.filter((object) => object.kind === kind);
    const byKey = new Map<string, KubeObject>(found.map((object) => [keyOf(object), object]));
    return { values: () => found, get: (key: string) => byKey.get(key) };
  };
  const caches = {
    configs: cacheOf("BackupConfig"),
    claims: cacheOf("PersistentVolumeClaim"),
    repositories: cacheOf("ResticRepository"),
    backups: cacheOf("ResticBackup"),
    restores: cacheOf("ResticRestore"),
  };
  const metrics = new Metrics();
  for (const gauge of autorestoreGauges(caches as never)) metrics.gauge(gauge);
  return (await metrics.text()).split("\n").filter((line) => line.startsWith(prefix));
}

const day = (day: number, hour = 2) => `2026-05-${day}T0${hour}:00:00Z`;
const condition = (type: string, status: "True" | "False", reason = "R", at = day(20)) => ({
  conditions: [{ type, status, reason, message: "m", lastTransitionTime: at }],
});

describe("backups of a PVC in a target", () => {
  const DAILY = "0 2 * * *";
  const OLD = { creationTimestamp: day(10, 0) };
  /** One that is backed up each night, and up to when its times are decided. */
  const nightly = (decided: string, cron = `${DAILY} UTC`) => ({
    ...sampleConfig({ backupTargets: [sampleTarget("nas", { backupSchedule: DAILY })] }),
    status: { work: { [slotKey("nas")]: { after: Date.parse(decided), cron } } },
  });
  const made = (name: string, status: object, born: string, target = "nas") => {
    const backup = sampleBackup(name, { target, status });
    return { ...backup, metadata: { ...backup.metadata, creationTimestamp: born } };
  };
  const DAMAGED = Object.assign(sampleRepository(), { status: condition("Intact", "False") });
  const good = (at: string, target?: string) =>
    made(`good-${at}`, { phase: "Completed", completionTime: at }, at, target);
  const failed = (at: string) => made(`failed-${at}`, { phase: "Failed", completionTime: at }, at);

  test.each<[string, KubeObject, KubeObject, readonly KubeObject[], string | undefined]>([
    [
      "after its newest good one",
      nightly(day(24)),
      claimed("data", OLD),
      [good(day(21, 3)), good(day(22, 3)), failed(day(23))],
      day(23),
    ],
    [
      "whatever is in another repository",
      nightly(day(24)),
      claimed("data", OLD),
      [good(day(23, 3), "b2")],
      day(25),
    ],
    [
      "after the first try, where all failed",
      nightly(day(24)),
      claimed("data", OLD),
      [failed(day(22, 3)), failed(day(23))],
      day(23),
    ],
    ["next, where none was made", nightly(day(24)), claimed("data", OLD), [], day(25)],
    [
      "after the birth of a PVC that was made anew",
      nightly(day(24)),
      claimed("data", { creationTimestamp: day(23, 5) }),
      [good(day(11))],
      day(24),
    ],
    ["after an edit of the schedule", nightly(day(24, 5)), claimed("data", OLD), [good(day(11))], day(25)],
    [
      "not, before the operator has seen an edit",
      nightly(day(24), "0 4 * * * UTC"),
      claimed("data", OLD),
      [good(day(11))],
      undefined,
    ],
    ["not, without a schedule", sampleConfig(), claimed("data", OLD), [good(day(11))], undefined],
    [
      "not, where no BackupConfig has claimed the PVC",
      nightly(day(24)),
      claimed("data", OLD, "home/other"),
      [],
      undefined,
    ],
    [
      "although one was made in damage",
      nightly(day(24)),
      claimed("data", OLD),
      [good(day(18, 3)), good(day(23, 3)), DAMAGED],
      day(19),
    ],
  ])("the next is due %s", async (_, config, claim, others, due) => {
    const lines = await scraped("autorestore_backup_due", config, claim, ...others);
    const labels = '{namespace="home",pvc="data",target="nas"}';
    const value = Date.parse(due ?? "") / 1000;
    expect(lines).toEqual(
      due === undefined ? [] : [`autorestore_backup_due_timestamp_seconds${labels} ${value}`],
    );
    const intervals = await scraped("autorestore_backup_interval", config, claim, ...others);
    expect(intervals).toEqual(
      due === undefined ? [] : [`autorestore_backup_interval_seconds${labels} 86400`],
    );
  });

  test.each([
    ["none", [], 0],
    [
      "those since the newest that completed",
      [failed(day(20)), good(day(21)), failed(day(22)), failed(day(23))],
      2,
    ],
    ["all, where none completed", [failed(day(22)), failed(day(23))], 2],
    ["none, once one has completed", [failed(day(22)), good(day(23))], 0],
  ])("failures count: %s", async (_, backups, count) => {
    const lines = await scraped(
      "autorestore_backup_consecutive",
      nightly(day(24)),
      claimed("data"),
      ...backups,
    );
    expect(lines).toEqual([
      `autorestore_backup_consecutive_failures{namespace="home",pvc="data",target="nas"} ${count}`,
    ]);
  });
});

test.each([
  ["is ready", { phase: "Ready" }, undefined],
  ["is new", {}, undefined],
  ["answered before", { phase: "Unknown" }, "Unusable"],
  ["never answered", { phase: "Failed" }, "Unusable"],
  ["is damaged, and Unknown for it", { phase: "Unknown", ...condition("Intact", "False") }, "Damaged"],
  ["was damaged", { phase: "Ready", ...condition("Intact", "True") }, undefined],
  ["was checked in vain", { phase: "Ready", maintenance: { check: { error: "packs" } } }, "CheckFailed"],
  [
    "was verified in vain",
    { phase: "Ready", maintenance: { verification: { error: "packs" } } },
    "CheckFailed",
  ],
  ["was pruned in vain", { phase: "Ready", maintenance: { prune: { error: "full" } } }, undefined],
])("a repository that %s", async (_, status, problem) => {
  const lines = await scraped(
    "autorestore_repository_problem",
    Object.assign(sampleRepository(), { status }),
  );
  const line = `autorestore_repository_problem{namespace="home",name="nas",problem="${problem}"} 1`;
  expect(lines).toEqual(problem === undefined ? [] : [line]);
});

describe("a restore", () => {
  const restore = (name: string, status: object, born = day(20)) => {
    const sample = sampleRestore();
    return { ...sample, metadata: { ...sample.metadata, name, creationTimestamp: born }, status };
  };
  const line = (what: string, name: string) =>
    `autorestore_restore_${what}{namespace="home",name="${name}",pvc="data"} 1`;

  test("that failed is told until a later one into its PVC completes", async () => {
    const first = restore("first", { phase: "Failed" });
    const again = restore("again", { phase: "Failed" }, day(21));
    const earlier = restore("earlier", { phase: "Completed" }, day(19));
    const later = restore("later", { phase: "Completed" }, day(22));
    const what = "autorestore_restore_failed";
    expect(await scraped(what, first, again, earlier)).toEqual([
      line("failed", "first"),
      line("failed", "again"),
    ]);
    expect(await scraped(what, first, again, later)).toEqual([]);
  });

  test.each([
    ["has not begun", {}, true],
    ["waits for its repository", { phase: "Pending", ...condition("Ready", "False", "Unreachable") }, true],
    ["asks its repository once more", { phase: "Pending", ...condition("Ready", "False", "Running") }, true],
    ["waits for a slot", { phase: "Pending", ...condition("Ready", "False", "Queued") }, false],
    ["writes", { phase: "Running", ...condition("Reconciling", "True", "Running") }, false],
    ["wrote, and waits", { phase: "Running", ...condition("Reconciling", "True", "Unreachable") }, true],
    ["has completed", { phase: "Completed" }, false],
    ["has failed", { phase: "Failed" }, false],
  ])("that %s waits: %s", async (_, status, waits) => {
    const lines = await scraped("autorestore_restore_waiting", restore("back", status));
    expect(lines).toEqual(waits ? [line("waiting", "back")] : []);
  });
});
