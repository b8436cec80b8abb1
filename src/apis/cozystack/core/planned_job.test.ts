import { describe, expect, test } from "vitest";
import { decideScheduledRuns } from "../../../core/schedule/decide_schedule.ts";
import { NOW, sampleClass, sampleJob, samplePlan } from "../testing/samples.ts";
import { isOfSlot, observedPlan, plannedJob, planStatus } from "./planned_job.ts";

const slot = Date.parse("2026-05-24T02:00:00Z");

describe("the BackupJob of a slot", () => {
  const job = plannedJob(samplePlan(), { slot, at: slot });

  test("has the name of its time, its Plan as owner, and the group of the application", () => {
    expect(job).toMatchObject({
      metadata: {
        name: "nightly-20260524-020000",
        namespace: "tenant",
        labels: { "backups.cozystack.io/plan": "nightly" },
        ownerReferences: [{ kind: "Plan", name: "nightly", uid: "uid-nightly", controller: true }],
      },
      spec: {
        planRef: { name: "nightly" },
        applicationRef: { apiGroup: "apps.cozystack.io", kind: "Postgres", name: "db" },
        backupClassName: "standard",
      },
    });
  });

  test("is known again", () => {
    const made = { ...sampleJob("nightly-20260524-020000", undefined, job.metadata), spec: job.spec };
    expect(isOfSlot(made, samplePlan(), slot)).toBe(true);
    expect(isOfSlot(made, samplePlan(), slot + 1)).toBe(false);
  });
});

describe("a Plan", () => {
  const decide = (plan = samplePlan(), now = NOW) =>
    decideScheduledRuns(observedPlan(plan, { jobs: [], class: undefined, now }));

  test("makes nothing before its first time, and knows the next", () => {
    const { fire, status } = decide();
    expect(fire).toBeUndefined();
    expect(status).toMatchObject({ phase: "Active", nextSchedule: { at: "2026-05-25T02:00:00Z" } });
  });

  test("makes one BackupJob when it is due, and says which under its own names", () => {
    const due = Date.parse("2026-05-25T02:00:01Z");
    const { fire, status } = decide(samplePlan(), due);
    expect(fire?.slot).toBe(Date.parse("2026-05-25T02:00:00Z"));
    const written = planStatus(samplePlan(), status);
    expect(written).toMatchObject({
      lastSchedule: { backupJobRef: { name: "nightly-20260525-020000" } },
      backupJobsCreated: 1,
    });
    expect(decide(samplePlan({}, written), due + 1000).fire).toBeUndefined();
  });

  test("with a bad cron says so, and heals with an edit", () => {
    const bad = samplePlan({ schedule: { type: "cron", cron: "61 * * * *", timezone: "UTC" } });
    const { status } = decide(bad);
    expect(status.phase).toBe("Failed");
    expect(status.conditions?.find(({ type }) => type === "Stalled")).toMatchObject({
      status: "True",
      reason: "InvalidSchedule",
    });
    expect(decide(samplePlan({}, planStatus(bad, status))).status.phase).toBe("Active");
  });

  const volumes = { kind: "Volume", name: "volumes" };
  test.each([
    [
      "is there",
      sampleClass({ strategyRef: volumes, application: { kind: "Postgres" } }),
      { status: "True", message: "Backed up by Volume volumes of strategy.backups.cozystack.io." },
    ],
    ["is missing", undefined, { status: "False", reason: "BackupClassNotFound" }],
    [
      "has no strategy for its application",
      sampleClass({ strategyRef: volumes, application: { kind: "MariaDB" } }),
      { status: "False", reason: "NoMatchingStrategy" },
    ],
  ])("says whether its class %s, and makes its BackupJobs all the same", (_, found, wanted) => {
    const due = Date.parse("2026-05-25T02:00:01Z");
    const observed = observedPlan(samplePlan(), { jobs: [], class: found, now: due });
    const { fire, status } = decideScheduledRuns(observed);
    expect(status.conditions?.find(({ type }) => type === "ClassResolved")).toMatchObject(wanted);
    expect([status.phase, fire?.slot]).toEqual(["Active", Date.parse("2026-05-25T02:00:00Z")]);
  });

  test("that is suspended makes nothing", () => {
    const { fire, status } = decide(samplePlan({ suspend: true }), Date.parse("2026-05-25T02:00:01Z"));
    expect(fire).toBeUndefined();
    expect(status.phase).toBe("Suspended");
  });
});
