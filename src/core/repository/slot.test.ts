import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { EngineRoom } from "../reconcile/engine_room.ts";
import { AT, backup, NOW, readyNas } from "../testing/samples.ts";
import type { SlotRequest, Turn } from "../work/queue/repository_queues.ts";
import { FIRST_ATTEMPT, type RunRecord } from "../work/run_record.ts";
import { type SlotQuestion, slotFor } from "./slot.ts";

/** Asks pools that give seats, or give none. */
function ask(seated: boolean, more: Partial<SlotQuestion> = {}) {
  const asked: SlotRequest[] = [];
  const queues = {
    ask(request: SlotRequest): Turn {
      asked.push(request);
      const { claimant, pool } = request;
      return {
        place: { ...claimant, pool, since: AT, ...(seated ? { seated } : {}) },
        running: 4,
        waiting: 9,
      };
    },
  } as unknown as EngineRoom["queues"];
  const question = {
    owner: backup(),
    kind: "backup",
    recipe: "data",
    repository: readyNas(),
    record: undefined,
  };
  const clock = new VirtualClock(NOW);
  return { ...slotFor({ queues, clock }, { ...question, ...more } as SlotQuestion), asked };
}

const record = (more: Partial<RunRecord>): RunRecord => ({ ...FIRST_ATTEMPT, ...more });
const saying = (reason: string) =>
  backup({ status: { conditions: [{ type: "Ready", reason, message: "as before" }] } });

describe("slotFor()", () => {
  test("asks by repository, tenant and kind of work", () => {
    const { asked, gate, place } = ask(true);
    expect(asked).toEqual([
      {
        owner: "uid-first",
        pool: "uid-nas",
        terms: { maxRuns: 4, breaker: "Closed" },
        claimant: { rank: 1, tenant: "billing/data" },
        place: undefined,
      },
    ]);
    expect(gate).toEqual({ open: true });
    expect(place?.seated).toBe(true);
  });

  test("maintenance is not held by the breaker", () => {
    expect(ask(true, { kind: "maintenance", exclusive: true }).asked[0]?.claimant).toMatchObject({
      rank: 3,
      steady: true,
      exclusive: true,
    });
  });

  test("what has its Job, has ended, or waits for its next attempt asks for nothing", () => {
    for (const one of [
      record({ job: "uid-job" }),
      record({ outcome: "Failed" }),
      record({ notBefore: new Date(NOW + 1).toISOString() }),
    ]) {
      expect(ask(false, { record: one })).toEqual({ gate: { open: true }, asked: [] });
    }
    expect(ask(false, { record: record({ notBefore: new Date(NOW).toISOString() }) }).gate.open).toBe(false);
  });

  test("what a wrong clock has put off for a day asks", () => {
    const notBefore = new Date(NOW + 86_400_000).toISOString();
    expect(ask(true, { record: record({ notBefore }) }).asked).toHaveLength(1);
  });

  test("one of several runs of an owner asks for a slot of its own, and repeats what was said of it alone", () => {
    expect(ask(true, { slot: "a" }).asked[0]).toMatchObject({ owner: "uid-first", slot: "a" });
    const before = "Queued at Repository billing/nas. When it was queued, 1 were running.";
    const owner = saying("Queued");
    expect(ask(false, { owner, said: before }).gate).toMatchObject({ reason: "Queued", message: before });
    // What the owner says is of all of its runs.
    const fresh = expect.stringContaining("4 were running");
    expect(ask(false, { owner, said: "The source is looked at." }).gate).toMatchObject({ message: fresh });
    expect(ask(false, { owner, said: "" }).gate).toMatchObject({ message: fresh });
  });

  test("whoever has to wait says so, with how many are there", () => {
    expect(ask(false).gate).toEqual({
      open: false,
      patience: 600_000,
      reason: "Queued",
      message:
        "Queued at Repository billing/nas. When it was queued, 4 were running and 9 waiting; the repository allows 4 at once.",
    });
  });

  test("and does not say it anew when the numbers change", () => {
    expect(ask(false, { owner: saying("Queued") }).gate).toMatchObject({ message: "as before" });
    expect(ask(false, { owner: saying("RepositoryNotReady") }).gate).not.toMatchObject({
      message: "as before",
    });
  });

  test("while the storage fails it says that", () => {
    const breaker = { state: "Open", consecutiveFailures: 3, errorClass: "Unreachable" };
    const { gate } = ask(false, { repository: readyNas({ status: { breaker } }), owner: saying("Queued") });
    expect(gate).toMatchObject({
      reason: "BreakerOpen",
      message:
        "The storage of Repository billing/nas failed 3 times in a row (Unreachable). New work waits, and one run at a time checks whether the storage is back. See the repository's condition StorageHealthy.",
    });
  });
});
