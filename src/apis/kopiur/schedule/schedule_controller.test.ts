import { describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { backupScheduleResource } from "../../../kinds/kopiur/generated/backup_schedule.ts";
import { ApiError } from "../../../kube/api_error.ts";
import type { Draft } from "../../../kube/object.ts";
import { ScheduleWorld, scheduleWorld } from "./testing/schedule_world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("scheduleControllers()", () => {
  test("make each Backup at its time, to the millisecond, and none on creation", async () => {
    const { clock, made } = await scheduleWorld({
      cron: "*/15 * * * *",
      jitter: "10m",
      concurrencyPolicy: "Allow",
    });
    await clock.advance(DAY);
    expect(made.length).toBeGreaterThanOrEqual(95);
    expect(made.filter(({ at, due }) => at !== Date.parse(due ?? ""))).toEqual([]);
  });

  test("make nothing while suspended, and go on afterwards", async () => {
    const one = await scheduleWorld({ suspend: true });
    await one.clock.advance(5.5 * HOUR);
    expect(one.names).toEqual([]);
    const patch = { spec: { schedule: { suspend: false } }, metadata: { generation: 2 } };
    await one.patch(backupScheduleResource, one.schedule.metadata, { type: "merge", patch });
    await one.clock.advance(HOUR);
    expect(one.names).toEqual(["nightly-20260524-060000"]);
  });

  test("notice a clock that was set forward, and catch up once", async () => {
    const one = await scheduleWorld();
    await one.clock.advance(90 * MINUTE);
    one.err(5 * HOUR);
    await one.clock.advance(MINUTE);
    expect(one.names).toEqual(["nightly-20260524-010000"]);
    expect(one.schedule.status?.lastSkippedSchedule).toMatchObject({ reason: "StillRunning" });
    await one.finish("Succeeded");
    one.err(10 * HOUR);
    await one.clock.advance(MINUTE);
    expect(one.names).toEqual(["nightly-20260524-010000", "nightly-20260524-110000"]);
    one.err(0);
    await one.finish("Succeeded");
    await one.clock.advance(12 * HOUR);
    expect(one.names.slice(2)).toEqual(["nightly-20260524-120000"]);
  });

  test("wait for the BackupConfig, and begin when it is there", async () => {
    const one = new ScheduleWorld();
    await one.add({});
    one.start();
    await one.clock.advance(90 * MINUTE);
    expect(one.names).toEqual([]);
    expect(one.schedule.status?.phase).toBe("Pending");
    await one.addConfig();
    await one.clock.advance(0);
    expect(one.names).toEqual(["nightly-20260524-010000"]);
  });

  test("cancel what runs before it is replaced", async () => {
    const one = await scheduleWorld({ concurrencyPolicy: "Replace" });
    await one.clock.advance(2 * HOUR);
    const cancelled = one.backups().map(({ metadata }) => metadata.annotations?.[ANNOTATIONS.cancel]);
    expect(cancelled).toEqual(["true", undefined]);
  });

  test("delete failed Backups beyond the limit, marked as their own deletion", async () => {
    const one = await scheduleWorld({}, 1);
    for (let hour = 0; hour < 5; hour++) {
      await one.clock.advance(HOUR);
      await one.finish("Failed");
    }
    await one.clock.advance(MINUTE);
    expect(one.backups().map(({ metadata }) => metadata.name)).toEqual(["nightly-20260524-050000"]);
    expect(one.schedule.status).toMatchObject({ consecutiveFailures: 5, active: 0 });
    expect(one.deleted).toEqual(Array(4).fill("FailedHistoryLimit"));
  });

  test("do not run two at once under Forbid, though the cache has not heard of the first", async () => {
    const one = await scheduleWorld();
    await one.clock.advance(59 * MINUTE);
    for (const operator of one.operators) operator.stall();
    await one.clock.advance(3 * HOUR);
    expect(one.names).toEqual(["nightly-20260524-010000"]);
  });

  test("do not make a slot again whose Backup is gone, though the cache has not heard that it was made", async () => {
    const one = await scheduleWorld();
    await one.clock.advance(59 * MINUTE);
    for (const operator of one.operators) operator.stall();
    await one.clock.advance(2 * MINUTE);
    const [made] = one.backups();
    if (!made) throw new Error("nothing was made");
    await one.delete(backupResource, made.metadata);
    one.err(10 * SECOND);
    await one.clock.advance(MINUTE);
    expect(one.names).toEqual(["nightly-20260524-010000"]);
  });

  test("say what the API server refuses, and try again", async () => {
    const one = await scheduleWorld();
    const create = one.create.bind(one);
    one.create = async () => {
      throw new ApiError({
        request: "POST",
        code: 403,
        status: { code: 403, reason: "Forbidden", message: "quota" },
      });
    };
    await one.clock.advance(61 * MINUTE);
    expect(one.schedule.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "BackupRefused" }),
    );
    one.create = create;
    await one.clock.advance(6 * MINUTE);
    expect(one.names).toEqual(["nightly-20260524-010000"]);
  });

  test("make up for one slot, with one event, when the API server was away over twenty", async () => {
    const one = await scheduleWorld({ cron: "* * * * *", concurrencyPolicy: "Allow" });
    one.fates = Array(100_000).fill("lost");
    await one.clock.advance(20.5 * MINUTE);
    expect(one.names).toEqual([]);
    one.fates = [];
    await one.clock.advance(5 * MINUTE);
    expect(one.names.at(-1)).toBe("nightly-20260524-002500");
    expect(one.names.length).toBeLessThanOrEqual(6);
    const skips = one.operators.flatMap(({ events }) =>
      events.filter(({ reason }) => reason === "BackupSkipped"),
    );
    expect(skips).toHaveLength(1);
  });

  test("leave out a run whose name another object has", async () => {
    const one = await scheduleWorld();
    const metadata = { namespace: "billing", name: "nightly-20260524-010000" };
    await one.create(backupResource, { metadata, spec: {} } as Draft<Backup>);
    await one.clock.advance(61 * MINUTE);
    expect(one.schedule.status).toMatchObject({
      decidedUntil: "2026-05-24T01:00:00Z",
      lastSkippedSchedule: { reason: "NameTaken" },
    });
  });
});
