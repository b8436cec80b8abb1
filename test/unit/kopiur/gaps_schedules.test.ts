import { describe, expect, test } from "vitest";
import {
  repository as repositoryManifest,
  schedule as scheduleManifest,
} from "../../../src/apis/kopiur/admission/testing/manifests.ts";
import { MemoryDoor, storedOf } from "../../../src/apis/kopiur/admission/testing/memory_door.ts";
import { observedSchedule, scheduledBackup } from "../../../src/apis/kopiur/schedule/scheduled_backup.ts";
import { backup, readyConfig, schedule } from "../../../src/apis/kopiur/testing/samples.ts";
import { decideScheduledRuns } from "../../../src/core/schedule/decide_schedule.ts";
import { decideTask } from "../../../src/core/work/decide_task.ts";
import { moverJob } from "../../../src/core/work/mover_job.ts";
import { nextSlots, type SeatsQuestion } from "../../../src/core/work/queue/next_slots.ts";
import { RANKS } from "../../../src/core/work/queue/place.ts";
import { decide, noted, reported } from "../../../src/core/work/testing/sample_decisions.ts";
import type { Backup } from "../../../src/kinds/kopiur/generated/backup.ts";
import type { BackupSchedule } from "../../../src/kinds/kopiur/generated/backup_schedule.ts";
import type { Repository } from "../../../src/kinds/kopiur/generated/repository.ts";
import { plannedBackup } from "./planned_backup.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A schedule as the schema completes what somebody wrote. */
function written(times: object, metadata: object = {}): BackupSchedule {
  const { spec } = storedOf(scheduleManifest(times)) as BackupSchedule;
  return schedule({ metadata, spec });
}

const look = (one: BackupSchedule, now: number, backups: readonly Backup[] = []) =>
  decideScheduledRuns(observedSchedule(one, { config: readyConfig(), backups, now }));

const told = (one: BackupSchedule, { status }: ReturnType<typeof look>): BackupSchedule => ({
  ...one,
  status,
});

const made = (one: BackupSchedule, slot: number) => {
  const { metadata } = scheduledBackup(one, { slot, at: slot });
  return backup({ metadata: { ...metadata, uid: `uid-${slot}` }, status: { phase: "Running" } });
};

describe("G3: a schedule that is applied does not back up at once", () => {
  const created = "2026-05-24T09:00:30Z";
  const begin = Date.parse(created);
  const nightly = (times: object = {}) =>
    written({ cron: "0 2 * * *", ...times }, { creationTimestamp: created });

  test("it makes nothing until its first slot, however often it is looked at, and then one Backup", () => {
    const first = Date.parse("2026-05-25T02:00:00Z");
    let one = nightly();
    for (let now = begin; now < first; now += 10 * MINUTE) {
      const decision = look(one, now);
      expect(decision.fire).toBeUndefined();
      one = told(one, decision);
    }
    expect(one.status?.nextSchedule).toEqual({ at: "2026-05-25T02:00:00Z" });
    expect(look(one, first).fire).toEqual({ slot: first, at: first });
  });

  test("it does where that is asked for", () => {
    expect(look(nightly({ runOnCreate: true }), begin + 1000).fire?.slot).toBe(begin);
  });
});

describe("G4: schedules spread by H and jitter, in a time zone", () => {
  const firstOf = (uid: string, creationTimestamp: string) => {
    const times = { cron: "H 2 * * *", jitter: "30m", timezone: "Europe/Berlin" };
    const one = written(times, { uid, creationTimestamp });
    return Date.parse(look(one, Date.parse(creationTimestamp)).status.nextSchedule?.at ?? "");
  };
  const uids = Array.from({ length: 200 }, (_, index) => `uid-${index}`);
  const [summer, winter] = ["2026-07-01T12:00:00Z", "2026-01-10T12:00:00Z"] as const;

  test("two hundred alike are spread over their window, and each is told the same time again", () => {
    const times = uids.map((uid) => firstOf(uid, summer));
    expect(new Set(times).size).toBeGreaterThan(150);
    expect(uids.map((uid) => firstOf(uid, summer))).toEqual(times);
    const minutes = new Set(times.map((time) => Math.floor(time / MINUTE) % 60));
    expect(minutes.size).toBeGreaterThan(45);
  });

  test.each([
    ["summer", summer, "2026-07-02T00:00:00Z"],
    ["winter", winter, "2026-01-11T01:00:00Z"],
  ])("they come after two in the night of their zone, in %s as well", (_, from, two) => {
    for (const uid of uids) {
      const late = firstOf(uid, from) - Date.parse(two);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(HOUR + 30 * MINUTE);
    }
  });

  test("a zone that does not exist is refused at the door", async () => {
    const { verdict } = await new MemoryDoor().write(
      scheduleManifest({ timezone: "Mars/Olympus" }),
      "stranger",
    );
    expect(verdict).toMatchObject({ allowed: false, message: expect.stringContaining("Mars/Olympus") });
  });
});

describe("G5: runs do not pile up", () => {
  test("by default a slot that comes while a run goes on is left out, and that shows", () => {
    const one = written({ cron: "0 * * * *" });
    const slot = (hour: number) => Date.parse("2026-05-24T00:00:00Z") + hour * HOUR;
    const begun = told(one, look(told(one, look(one, slot(0))), slot(1)));
    const decision = look(begun, slot(2), [made(one, slot(1))]);
    expect(decision.fire).toBeUndefined();
    expect(decision.status.lastSkippedSchedule).toMatchObject({ reason: "StillRunning" });
    expect(decision.status.conditions).toContainEqual(
      expect.objectContaining({ type: "BackupSkipped", status: "True" }),
    );
    expect(decision.events).toContainEqual(expect.objectContaining({ reason: "BackupSkipped" }));
  });

  const waiting = Array.from({ length: 1000 }, (_, index) => ({
    id: `run-${index}`,
    rank: RANKS.backup,
    tenant: `ns-${index % 7}/data`,
    since: index,
  }));

  test("a repository has a few seats, and the rest of a thousand waits without a Job", () => {
    const seats = (storedOf(repositoryManifest()) as Repository).spec.concurrency.maxRuns;
    const seated = nextSlots({ waiting, seated: [], seats, now: 2000 });
    expect(seated.map(({ tenant }) => tenant)).toEqual(["ns-0/data", "ns-1/data", "ns-2/data", "ns-3/data"]);
    expect(nextSlots({ waiting, seated, seats, now: 2000 })).toEqual([]);
    const gate = { open: false, reason: "Queued", message: "There are 4 runs." } as const;
    expect(decide({ gate })).toMatchObject({ state: { phase: "Held", reason: "Queued" }, intents: [] });
  });

  test("what locks the repository for itself begins when nobody works, and nobody begins beside it", () => {
    const prune = { id: "prune", rank: RANKS.maintenance, tenant: "ops/nas", since: 0, exclusive: true };
    const ask = (seated: readonly object[], queue: SeatsQuestion["waiting"]) =>
      nextSlots({ waiting: queue, seated, seats: 4, now: 2000 }).map(({ id }) => id);
    expect(ask([], [prune])).toEqual(["prune"]);
    expect(ask([{ tenant: "ns-0/data" }], [prune])).toEqual([]);
    expect(ask([prune], waiting)).toEqual([]);
  });
});

describe("G6: how often and how long a run is tried is the user's to say", () => {
  const policyOf = (own: object) => {
    const planned = plannedBackup({
      recipe: { failurePolicy: { backoffLimit: 1, activeDeadlineSeconds: 600 } },
      backup: { failurePolicy: own },
    });
    return { task: planned.task, policy: planned.request.failurePolicy };
  };

  test.each([
    ["what the recipe says", {}, 600],
    ["what the Backup says itself", { activeDeadlineSeconds: 60 }, 60],
  ])("the mover ends at its deadline, and its Job soon after: %s", (_, own, seconds) => {
    const { intents } = decideTask({ ...policyOf(own), runs: [], now: 0 });
    const [intent] = intents;
    if (intent?.type !== "Ensure") throw new Error("no Job is made");
    expect(intent.request.work.deadlineSeconds).toBe(seconds);
    const late = (moverJob(intent.request).spec?.activeDeadlineSeconds ?? 0) - seconds;
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThan(120);
  });

  test.each([
    ["is the end without retries", { backoffLimit: 0 }, { phase: "Ended", outcome: "Failed" }],
    ["is followed by as many attempts as the recipe allows", {}, { phase: "BackingOff" }],
  ])("a failure that may pass %s", (_, own, state) => {
    const { policy } = policyOf(own);
    expect(decide({ policy, record: noted, runs: [reported("Unreachable")] })).toMatchObject({ state });
  });
});
