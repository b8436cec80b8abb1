import { expect, test } from "vitest";
import { FIRST_ATTEMPT } from "../../../core/work/run_record.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import type { DataPathPhase } from "../../../kinds/velero/phases.ts";
import { leftoversDue, leftoversOf, marksOf } from "./left_behind.ts";
import type { PodVolume } from "./pod_volume.ts";
import { sampleBackup, sampleRestore } from "./testing/samples.ts";

const run = { ...FIRST_ATTEMPT, attempt: 3 };
const at = (object: PodVolume, phase: DataPathPhase): PodVolume =>
  ({ ...object, status: { phase } }) as PodVolume;
const made = (fidelity: "Full" | "Engine"): TaskState =>
  ({
    phase: "Ended",
    outcome: "Succeeded",
    logTail: [],
    settled: false,
    result: { answer: { snapshot: { snapshots: [{ snapshot: { id: "abc", run: "r1", fidelity } }] } } },
  }) as unknown as TaskState;

const lost: TaskState = { phase: "Ended", outcome: "Failed", logTail: [], settled: false };

test("marksOf() notes that nobody saw an earlier attempt end", () => {
  const object = at(sampleBackup, "InProgress");
  const unseen = { ...run, unseen: ["r1"] };
  expect(marksOf({ object, status: { phase: "Failed" }, task: lost, run: unseen })).toEqual({
    "holdfast.dev/leftovers": "3 unseen",
  });
});

test.each<[string, PodVolume, DataPathPhase, TaskState | undefined, object]>([
  [
    "a record beside a snapshot",
    at(sampleBackup, "InProgress"),
    "Completed",
    made("Full"),
    { "holdfast.dev/companion": "r1" },
  ],
  ["no record", at(sampleBackup, "InProgress"), "Completed", made("Engine"), {}],
  [
    "attempts that may have left something",
    at(sampleBackup, "InProgress"),
    "Failed",
    lost,
    { "holdfast.dev/leftovers": "3" },
  ],
  [
    "that nobody saw the mover end",
    at(sampleBackup, "InProgress"),
    "Failed",
    undefined,
    { "holdfast.dev/leftovers": "3 unseen" },
  ],
  [
    "attempts that were cancelled",
    at(sampleBackup, "Canceling"),
    "Canceled",
    lost,
    { "holdfast.dev/leftovers": "3" },
  ],
  ["nothing of a mover that was never started", at(sampleBackup, "Prepared"), "Canceled", undefined, {}],
  ["nothing of what ended before", at(sampleBackup, "Failed"), "Failed", undefined, {}],
  ["nothing of what goes on", at(sampleBackup, "InProgress"), "InProgress", undefined, {}],
  ["nothing of a restore", at(sampleRestore, "InProgress"), "Failed", undefined, {}],
])("marksOf() notes %s", (_, object, phase, task, marks) => {
  expect(marksOf({ object, status: { phase }, task, run })).toEqual(marks);
});

const failed = (leftovers: string, phase: DataPathPhase = "Failed") => ({
  ...sampleBackup,
  metadata: { ...sampleBackup.metadata, annotations: { "holdfast.dev/leftovers": leftovers } },
  status: { phase, completionTimestamp: "2026-01-01T12:00:00Z" },
});

test("leftoversOf() names runs of the object itself alone", () => {
  const [first, second, ...others] = leftoversOf(failed("2"));
  expect(first).toMatch(/^nightly-x1-data-path-[a-z0-9]{12}-1$/);
  expect(second).toBe(first?.replace(/1$/, "2"));
  expect(others).toEqual([]);
  expect(leftoversOf(failed("2 unseen"))).toEqual([first, second]);
  expect(leftoversOf(failed("9999999"))).toHaveLength(20);
});

test.each([
  ["some-run", "Failed"],
  ["0", "Failed"],
  ["2", "Completed"],
  ["2", "InProgress"],
] as const)("leftoversOf() names none for %j of a backup that is %s", (leftovers, phase) => {
  expect(leftoversOf(failed(leftovers, phase))).toEqual([]);
});

test("leftoversDue() is ten minutes after the end, or a day where nobody saw that of the mover", () => {
  expect(leftoversDue(failed("1 unseen"))).toBe(Date.parse("2026-01-02T12:00:00Z"));
  expect(leftoversDue(failed("1"))).toBe(Date.parse("2026-01-01T12:10:00Z"));
  expect(leftoversDue(sampleBackup)).toBeNaN();
});
