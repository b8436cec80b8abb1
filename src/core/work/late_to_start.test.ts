import { describe, expect, test } from "vitest";
import type { Job } from "../../kube/builtin.ts";
import { CANCELLED_ANNOTATION } from "./run_labels.ts";
import { FIRST_ATTEMPT, type RunRecord } from "./run_record.ts";
import type { TaskDecision } from "./task_decision.ts";
import type { TaskView } from "./task_view.ts";
import { decide, ID, iso, noted, now, reported, SECOND, suspended } from "./testing/sample_decisions.ts";
import { JOB_UID, observed, podWith, runningPod, sampleJob } from "./testing/samples.ts";

const MINUTE = 60_000;
const asked = (minutes: number): Partial<RunRecord> => ({ clearSince: iso(now - minutes * MINUTE) });
const record = (minutes: number, more: Partial<RunRecord> = {}): RunRecord => ({
  ...noted,
  ...asked(minutes),
  ...more,
});
const withoutImage = podWith({ waiting: { reason: "ErrImagePull", message: "no such image" } }, "Pending");
const waiting = [observed({ job: sampleJob(), pod: withoutImage })];
const told = (job: Job): Job => ({
  ...suspended(job),
  metadata: { ...job.metadata, annotations: { ...job.metadata.annotations, [CANCELLED_ANNOTATION]: "true" } },
});
const REFUSED = "SecretMissing: The Secret platform/nas does not exist.";

/** What it comes to, in short. */
function shown({ record, state, intents }: TaskDecision): string {
  const does = intents.map(({ type }) => type).join(" ");
  return `${record.attempt} ${state.phase}${record.late ? " late" : ""}${does ? `: ${does}` : ""}`;
}

describe("a mover has to start in its time", () => {
  test.each<[string, Partial<TaskView>, string]>([
    ["its pod waits for its image, within the time", { record: record(9), runs: waiting }, "1 Working"],
    ["its pod waits for longer", { record: record(10), runs: waiting }, "1 Working late: Cancel"],
    [
      "it has more time by its policy",
      { record: record(10), runs: waiting, policy: { startDeadlineSeconds: 900 } },
      "1 Working",
    ],
    [
      "it has less time by its policy",
      { record: record(2), runs: waiting, policy: { startDeadlineSeconds: 60 } },
      "1 Working late: Cancel",
    ],
    [
      "whatever waits for it has less time",
      { record: record(2), runs: waiting, policy: { startBy: { at: now, message: "in time" } } },
      "1 Working late: Cancel",
    ],
    [
      "that time is still to come",
      { record: record(2), runs: waiting, policy: { startBy: { at: now + 1, message: "in time" } } },
      "1 Working",
    ],
    [
      "its Job cannot be let go",
      { record: record(10), runs: [observed({ job: suspended() })] },
      "1 Working late: Cancel",
    ],
    [
      "the time for all the work is over before its Job could be let go",
      { record: record(1), runs: [observed({ job: suspended() })], policy: { activeDeadlineSeconds: 60 } },
      "1 Working late: Cancel",
    ],
    [
      "the time for all the work is over before its Job could be made",
      {
        record: { ...FIRST_ATTEMPT, ...asked(1), activeSince: iso(now - MINUTE) },
        policy: { activeDeadlineSeconds: 60 },
      },
      "1 Ended",
    ],
    [
      "its Job was never let go, so that nothing can start",
      { record: { ...FIRST_ATTEMPT, ...asked(10) }, runs: [observed({ job: suspended() })] },
      "2 BackingOff",
    ],
    ["its Job cannot be made", { record: { ...FIRST_ATTEMPT, ...asked(10) } }, "2 BackingOff"],
    [
      "a gate has shut before there was a Job",
      { record: { ...FIRST_ATTEMPT, ...asked(10) }, gate: { open: false, reason: "Queued", message: "m" } },
      "1 Held",
    ],
    [
      "it works",
      { record: record(100), runs: [observed({ job: sampleJob(), pod: runningPod() })] },
      "1 Working",
    ],
    ["nobody has noted since when it could", { record: noted, runs: waiting }, "1 Working"],
  ])("where %s", (_, view, expected) => {
    expect(shown(decide(view))).toBe(expected);
  });

  const late = record(10, { late: { class: "NotStarted", message: "too late", remedy: "r" } });

  test.each<[string, Partial<TaskView>, string]>([
    ["it was not told to end yet", { runs: waiting }, "1 Working late: Cancel"],
    [
      "its pod is still there",
      { runs: [observed({ job: told(sampleJob()), pod: withoutImage })] },
      "1 Working late",
    ],
    ["its pod is gone", { runs: [observed({ job: told(sampleJob()) })] }, "2 BackingOff"],
    ["its Job is gone, too", { runs: [] }, "2 BackingOff"],
    ["it began after all, and was told to end", { runs: [reported("Cancelled")] }, "2 BackingOff"],
  ])("once it was late: %s", (_, view, expected) => {
    expect(shown(decide({ record: late, ...view }))).toBe(expected);
  });

  test("what it made after all does not count, and is deleted before the next attempt", () => {
    const decision = decide({
      record: late,
      runs: [reported(undefined, { repository: { id: "r", created: false } })],
    });
    expect(decision.record).toMatchObject({
      step: "Settle",
      reported: true,
      lastFailure: { class: "NotStarted" },
    });
  });

  test("the failure names what was in the way, and the slot is given back", () => {
    const place = { pool: "p", rank: 1, tenant: "t", since: iso(now), seated: true };
    const { record: ended } = decide({
      record: { ...FIRST_ATTEMPT, ...asked(10), place },
      runs: [observed({ job: suspended() })],
      refused: REFUSED,
    });
    expect(ended).toMatchObject({
      attempt: 2,
      failures: 1,
      lastFailure: { class: "NotStarted", message: `The mover did not start within 600 s. ${REFUSED}` },
    });
    expect(ended).not.toHaveProperty("place");
    expect(ended).not.toHaveProperty("clearSince");
    const { record: stuck } = decide({ record: record(10), runs: waiting });
    expect(stuck.late?.message).toMatch(
      /^The mover did not start within 600 s\. ImageUnavailable: .*no such image/,
    );
  });

  test("after the last attempt the task has failed, and its Job goes", () => {
    const last = { record: late, policy: { backoffLimit: 0 }, runs: [observed({ job: told(sampleJob()) })] };
    const decision = decide(last);
    expect(decision.state).toMatchObject({
      phase: "Ended",
      outcome: "Failed",
      result: { failure: { message: "too late" } },
    });
    const next = decide({ ...last, record: decision.record });
    expect(next.intents).toMatchObject([{ type: "Remove", job: { metadata: { uid: JOB_UID } } }]);
  });

  test("waiting for a Secret counts into the time for all the work", () => {
    const policy = { activeDeadlineSeconds: 60 };
    const runs = [observed({ job: suspended() })];
    const asLate = (last: RunRecord | undefined, seconds: number) =>
      decide({
        policy,
        runs,
        refused: REFUSED,
        now: now + seconds * 1000,
        ...(last ? { record: last } : {}),
      });
    const { record: begun } = decide({ policy });
    const { record: named } = asLate(begun, 1);
    // What lends the Secret fails: the Job is never let go, and the time of its start is never noted.
    expect(named).toMatchObject({ activeSince: iso(now), job: JOB_UID });
    expect(shown(asLate(named, 59))).toBe("1 Working: Ensure");
    const ended = asLate(named, 60);
    expect(shown(ended)).toBe("1 Working late: Cancel");
    const gone = decide({
      policy,
      record: ended.record,
      runs: [observed({ job: told(sampleJob()) })],
      now: now + 61_000,
    });
    expect(gone.state).toMatchObject({
      phase: "Ended",
      outcome: "Failed",
      result: { failure: { class: "Deadline", message: expect.stringContaining(REFUSED) } },
    });
  });

  test("what waits before its first attempt uses up none of that time", () => {
    const policy = { activeDeadlineSeconds: 60 };
    const gate = { open: false, reason: "Queued", message: "m" } as const;
    const held = (more: Partial<RunRecord>) =>
      decide({ policy, gate, record: { ...FIRST_ATTEMPT, activeSince: iso(now - 30_000), ...more } }).record;
    expect(held({})).not.toHaveProperty("activeSince");
    for (const tried of [{ failures: 1, attempt: 2 }, { startedAt: iso(now - 20_000) }])
      expect(held(tried)).toMatchObject({ activeSince: iso(now - 30_000) });
  });

  test("an edit gives what has not begun its whole time anew", () => {
    const record = { ...FIRST_ATTEMPT, edition: "a", activeSince: iso(now - 59_000), ...asked(1) };
    const policy = { activeDeadlineSeconds: 60 };
    expect(decide({ policy, record, edition: "b" }).record).toMatchObject({ activeSince: iso(now) });
    expect(decide({ policy, record, edition: "a" }).record).toMatchObject({ activeSince: iso(now - 59_000) });
  });

  test("the next attempt has its time anew", () => {
    const second: RunRecord = { ...FIRST_ATTEMPT, attempt: 2, failures: 1 };
    const { record: begun, intents } = decide({ record: second });
    expect(begun.clearSince).toBe(iso(now));
    expect(intents).toMatchObject([{ type: "Ensure", request: { id: SECOND } }]);
    expect(ID).not.toBe(SECOND);
  });
});
