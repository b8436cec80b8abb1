import { describe, expect, test } from "vitest";
import { blocked } from "../../../../core/reconcile/problem.ts";
import { type HookSeries, hookId } from "../../../../core/workloads/hooks/hook.ts";
import type { Job } from "../../../../kinds/cozystack/generated/job.ts";
import { NOW, sampleBackup, sampleJob, sampleRestoreJob } from "../../testing/samples.ts";
import { backupWork, removalWork, restoreWork, sampleJobStrategy } from "../../testing/works.ts";
import { decidePod, jobDriver, seriesOf } from "./job_driver.ts";

const work = backupWork(
  sampleJobStrategy({ artifact: { uri: "s3://{{ .Parameters.level }}/{{ .Backup.metadata.name }}" } }),
);
const series = seriesOf(work, "backup") as HookSeries;

describe("the pod of a strategy", () => {
  test("has every text rendered, and belongs to the job", () => {
    expect(series).toMatchObject({
      owner: { kind: "BackupJob", name: "first", uid: "uid-first" },
      namespace: "tenant",
      purpose: "backup",
      round: 1,
      hooks: [
        {
          timeout: 3_600_000,
          action: { job: { template: { spec: { containers: [{ args: ["backup", "full"] }] } } } },
        },
      ],
    });
  });

  test("restores with the same template, unless there is another", () => {
    expect(seriesOf(restoreWork(sampleJobStrategy()), "restore")).toMatchObject({
      hooks: [{ action: { job: { template: { spec: { containers: [{ args: ["restore", "full"] }] } } } } }],
    });
    const other = sampleJobStrategy({ restoreTemplate: { spec: { containers: [{ name: "r" }] } } });
    expect(seriesOf(restoreWork(other), "restore")).toMatchObject({
      hooks: [{ action: { job: { template: { spec: { containers: [{ name: "r" }] } } } } }],
    });
  });

  const fixed = { spec: { containers: [{ name: "c", args: ["--all"] }] } };
  const another = { apiGroup: "apps.cozystack.io", kind: "Postgres", name: "copy" };

  test.each([
    ["would back up again", sampleJobStrategy({ template: fixed }), {}, "RestoreUnsupported"],
    [
      "would restore the application that was backed up instead of another",
      sampleJobStrategy({ restoreTemplate: fixed }),
      { applicationRef: another },
      "TargetUnsupported",
    ],
  ])("is not made where it %s", (_, strategy, more, reason) => {
    expect(seriesOf(restoreWork(strategy, more), "restore")).toMatchObject({ type: "Failed", reason });
  });

  test("restores the same application without naming it, and another by its name", () => {
    const same = sampleJobStrategy({ restoreTemplate: fixed });
    expect(seriesOf(restoreWork(same), "restore")).toHaveProperty("hooks");
    const args = ["{{ .Application.metadata.name }}"];
    const named = sampleJobStrategy({ restoreTemplate: { spec: { containers: [{ name: "c", args }] } } });
    expect(seriesOf(restoreWork(named, { applicationRef: another }), "restore")).toHaveProperty("hooks");
  });

  test("fails with a value that is missing, by its path", () => {
    expect(seriesOf({ ...work, parameters: {} }, "backup")).toEqual({
      type: "Failed",
      reason: "TemplateFailed",
      message:
        "spec.template.spec.containers[0].args[1]: {{ .Parameters.level }} has no value. Correct the strategy.",
    });
  });
});

describe("a job by pods", () => {
  const since = new Date(NOW - 1000).toISOString();
  const decide = (progress: object, sight?: object) =>
    decidePod({
      work,
      mode: "backup",
      series,
      progress: { finished: 0, ...progress },
      sight: sight as never,
    });

  test("begins, and remembers when before it does", () => {
    expect(decide({})).toMatchObject({
      type: "Running",
      state: { finished: "0", since: new Date(NOW).toISOString() },
      intents: [{ type: "Hooks", intents: [{ type: "Start", index: 0 }] }],
    });
  });

  test("tells what its pod does", () => {
    expect(decide({ since }, { phase: "Running", job: "u", note: "Pod runs." })).toMatchObject({
      type: "Running",
      message: "Pod runs.",
      state: { job: "u" },
    });
  });

  test("ends well with its artifact", () => {
    expect(decide({ since }, { phase: "Ended", result: { ok: true } })).toMatchObject({
      type: "Succeeded",
      takenAt: since,
      artifact: { uri: "s3://full/first" },
    });
  });

  test("ends with what its pod says of the data", () => {
    const report = '{"uri":"s3://full/other","sizeBytes":7,"checksum":"sha256:ab"}';
    expect(decide({ since }, { phase: "Ended", result: { ok: true, report } })).toMatchObject({
      artifact: { uri: "s3://full/other", sizeBytes: 7, checksum: "sha256:ab" },
    });
    const size = { phase: "Ended", result: { ok: true, report: '{"sizeBytes":7}' } };
    expect(decide({ since }, size)).toMatchObject({ artifact: { uri: "s3://full/first", sizeBytes: 7 } });
  });

  test("fails in the words of its pod", () => {
    const result = { ok: false, message: "exit code 3" };
    expect(decide({ since }, { phase: "Ended", result })).toMatchObject({
      type: "Failed",
      reason: "PodFailed",
      message: "Hook backup failed: exit code 3",
    });
  });

  test("fails when its time is over", () => {
    const began = new Date(NOW - 3_600_001).toISOString();
    expect(decide({ since: began, job: "u" }, { phase: "Running" })).toMatchObject({
      type: "Failed",
      message: "Hook backup did not end within 3600 s.",
    });
  });
});

describe("a Job that was made", () => {
  const { signal } = new AbortController();
  const since = new Date(NOW - 1000).toISOString();
  const state = { finished: "0", since };
  const forgotten = (remove: boolean) => [
    { type: "Hooks", series: { purpose: "backup" }, intents: [{ type: "Forget", index: 0, remove }] },
  ];

  test.each([
    ["is not made", {}, { phase: "Unknown" }, { reason: "TemplateFailed" }],
    ["is followed", state, { phase: "Running", job: "u", note: "Pod runs." }, { message: "Pod runs." }],
    [
      "ends when its time is over",
      { ...state, since: new Date(NOW - 3_600_001).toISOString() },
      { phase: "Running", job: "u" },
      { type: "Failed", reason: "PodFailed", intents: forgotten(true) },
    ],
    [
      "ends well",
      state,
      { phase: "Ended", result: { ok: true } },
      { type: "Succeeded", intents: forgotten(true) },
    ],
    [
      "goes where it has not begun",
      state,
      { phase: "Unknown" },
      { type: "Failed", reason: "TemplateFailed", intents: forgotten(true) },
    ],
  ])("with a template that fails meanwhile %s", async (_, state, sight, step) => {
    const driver = jobDriver({ hooks: { see: async () => sight } as never, forbidden: () => undefined });
    const broken = backupWork(sampleJobStrategy(), { parameters: {}, state });
    expect(await driver.backup(broken, signal)).toMatchObject(step);
  });

  test("goes though what the strategy says of its data has no value", () => {
    const unnamed = { ...work, parameters: {} };
    const sight = { phase: "Ended", result: { ok: true } } as const;
    const progress = { finished: 0, since };
    expect(decidePod({ work: unnamed, mode: "backup", series, progress, sight })).toMatchObject({
      reason: "TemplateFailed",
      intents: forgotten(true),
    });
  });

  test("is stopped by the name that it was made with", () => {
    const { stop } = jobDriver({ hooks: {} as never, forbidden: () => undefined });
    const [intent] = stop?.(sampleJob("first", { driverState: state })) ?? [];
    expect([intent]).toMatchObject(forgotten(true));
    expect(intent?.type === "Hooks" && hookId(intent.series, 0)).toBe(hookId(series, 0));
    expect(stop?.(sampleRestoreJob("again", {}, { driverState: state }))).toMatchObject([
      { series: { purpose: "restore", owner: { kind: "RestoreJob" } } },
    ]);
    expect(stop?.(sampleJob("first"))).toEqual([]);
  });
});

test("without a template for it, the data of a deleted Backup stays", async () => {
  const { signal } = new AbortController();
  const driver = jobDriver({ hooks: {} as never, forbidden: () => undefined });
  expect(await driver.remove(removalWork(sampleJobStrategy()), signal)).toMatchObject({ type: "Succeeded" });
});

test("without its strategy nobody can tell whether there is data to delete: the Backup waits for it", async () => {
  const { signal } = new AbortController();
  const driver = jobDriver({ hooks: {} as never, forbidden: () => undefined });
  const backup = sampleBackup("first", { strategyRef: { kind: "Job", name: "dumps" } });
  expect(await driver.remove(removalWork<Job>(undefined, { object: backup }), signal)).toMatchObject({
    type: "Waiting",
    problem: {
      reason: "StrategyNotFound",
      message:
        "The strategy Job dumps does not exist, so the data cannot be deleted. Create it. To leave the data where it is, have an administrator remove the finalizer strategy.backups.cozystack.io/artifact from the Backup.",
    },
  });
});

test("a strategy that may not lend its Secret waits, before any pod is made", async () => {
  const { signal } = new AbortController();
  const problem = blocked("LendingForbidden", "Not yours to lend.");
  const driver = jobDriver({ hooks: {} as never, forbidden: () => problem });
  expect(await driver.backup(backupWork(sampleJobStrategy()), signal)).toEqual({ type: "Waiting", problem });
});
