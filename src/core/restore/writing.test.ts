import { describe, expect, test } from "vitest";
import { AT, failed, NOW, snapshot, succeeded, working } from "../testing/samples.ts";
import { FIRST_ATTEMPT } from "../work/run_record.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { UseDecision } from "../workloads/scaling/decide_use.ts";
import { SCALED_FOR, SCALED_FROM } from "../workloads/scaling/scaling_marks.ts";
import type { RestoreState } from "./restore.ts";
import { RESTORE } from "./restore_tasks.ts";
import { decideInPlace, IN_USE, inPlace, keeper, remembered, SCALE } from "./testing/in_place_samples.ts";
import { answer, begins, conditionOf, decide, ours, RESTORES, run } from "./testing/restore_samples.ts";

describe("decideRestore(): the run", () => {
  test("shows how far it is", () => {
    const progress = { version: 1, step: "restore", files: 4, bytes: 40, estimatedBytes: 80 } as const;
    const state: TaskState = { ...working, state: { ...working.state, progress } };
    const decision = decide({ claim: ours, run: run(state, { wakeAt: NOW + 3 }) });
    expect(decision).toMatchObject({
      status: {
        phase: "Restoring",
        progress: { filesRestored: 4, bytesRestored: 40, bytesTotal: 80, updatedAt: AT },
      },
      wakeAt: NOW + 3,
    });
  });

  test("completes", () => {
    const decision = decide({ claim: ours, run: run(succeeded({ restore: answer })) });
    expect(decision.status).toMatchObject({
      phase: "Completed",
      progress: { filesRestored: 3, bytesRestored: 300 },
      job: { attempts: 1 },
    });
    expect(decision.status?.losses).toBeUndefined();
    expect(conditionOf(decision, "Ready")).toMatchObject({ status: "True", reason: "Completed" });
    expect(conditionOf(decision, "Restored")).toMatchObject({ status: "True", reason: "Complete" });
  });

  test("counts what did not come back", () => {
    const losses = [{ kind: "Owner", count: 7, examples: ["a"], reason: "not root" }] as const;
    const decision = decide({ claim: ours, run: run(succeeded({ restore: { ...answer, losses } })) });
    expect(decision.status).toMatchObject({ phase: "Completed", losses: [{ kind: "Owner", count: 7 }] });
    expect(conditionOf(decision, "Restored")).toMatchObject({
      reason: "WithLosses",
      message: expect.stringContaining("7 things"),
    });
  });

  test.each([
    ["Incomplete", { snapshot: { ...snapshot(), incomplete: "it was cancelled" } }],
    ["Unrecorded", { fidelity: "Engine" }],
    ["Unrecorded", { fidelity: "Degraded" }],
  ] as const)("is %s, and not everything, with %j", (reason, more) => {
    const decision = decide({ claim: ours, run: run(succeeded({ restore: { ...answer, ...more } })) });
    expect(decision.status).toMatchObject({ phase: "Completed", fidelity: { ...answer, ...more }.fidelity });
    expect(conditionOf(decision, "Restored")).toMatchObject({ status: "True", reason });
  });

  test("is Unreported, and not everything, where the report was lost", () => {
    const decision = decide({
      claim: ours,
      run: run({ phase: "Ended", outcome: "Succeeded", logTail: [], settled: false }),
    });
    expect(conditionOf(decision, "Restored")).toMatchObject({ status: "True", reason: "Unreported" });
  });

  test("fails with a reason, and is not presented as done", () => {
    const decision = decide({
      claim: ours,
      run: run(failed({ class: "PrivilegesNeeded", message: "m", remedy: "r" })),
    });
    expect(decision.status).toMatchObject({ phase: "Failed", failure: { errorClass: "PrivilegesNeeded" } });
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "PrivilegesNeeded" });
    expect(conditionOf(decision, "Restored")).toBeUndefined();
  });
});

describe("decideRestore() while the data is written", () => {
  const record = { ...FIRST_ATTEMPT, job: "uid-job" };
  const writing = (more: object = {}) =>
    inPlace(
      { phase: "Restoring", work: { [RESTORE]: record }, ...more },
      { finalizers: [RESTORES.finalizer] },
    );
  const used = (decision: { readonly status?: RestoreState }) =>
    conditionOf(decision, "VolumeModifiedDuringRestore");
  const back = keeper({ [SCALED_FOR]: "uid-again", [SCALED_FROM]: "2" }, 3);
  const scaleAgain: UseDecision = {
    ...SCALE,
    who: "StatefulSet keeper",
    workloads: [back],
    intents: [{ type: "ScaleDown", workload: back, holder: "uid-again" }],
  };

  test("who keeps away is looked for again, and nothing is said", () => {
    const decision = decideInPlace({ restore: writing(), use: { type: "Free" }, run: run(begins) });
    expect(decision).toMatchObject({ status: { phase: "Restoring" }, wakeAt: NOW + 15_000 });
    expect(used(decision)).toBeUndefined();
  });

  test("a workload that was set back goes down again, to come back with its new number", () => {
    const restoreNow = writing({ scaledWorkloads: remembered });
    const decision = decideInPlace({
      restore: restoreNow,
      scaled: [back],
      use: scaleAgain,
      run: run(begins),
    });
    expect(decision.status).toMatchObject({ phase: "Restoring", scaledWorkloads: [{ replicas: 3 }] });
    expect(decision.intents).toContainEqual({ type: "Scale", intents: scaleAgain.intents });
    const looked = { restore: restoreNow, scaled: [back], use: scaleAgain };
    const working = run(begins, { intents: [{ type: "Ensure" }] as never });
    const order = decideInPlace({ ...looked, run: working }).intents.map(({ type }) => type);
    expect(order).toEqual(["Run", "Hold", "Scale"]);
    expect(used(decision)).toMatchObject({
      status: "True",
      message: expect.stringMatching(/^StatefulSet keeper came back to .* scaled down again. Suspend/),
    });
    expect(decision.events).toContainEqual(
      expect.objectContaining({ type: "Warning", reason: "VolumeModifiedDuringRestore" }),
    );
  });

  test("a workload that somebody else has down gets our mark too, and nobody was there", () => {
    const { who: _, ...quiet } = scaleAgain;
    const decision = decideInPlace({ restore: writing(), use: quiet, run: run(begins) });
    expect(decision.intents).toContainEqual({ type: "Scale", intents: scaleAgain.intents });
    expect(used(decision)).toBeUndefined();
  });

  test("a pod that came is told once, and not forgotten when it goes, nor at the end", () => {
    const use: UseDecision = { ...IN_USE, who: "pod billing/web-1" };
    const first = decideInPlace({ restore: writing(), use, run: run(begins) });
    expect(first.intents).toEqual([]);
    const { conditions } = first.status ?? {};
    const again = decideInPlace({ restore: writing({ conditions }), use, run: run(begins) });
    expect(again.events?.filter(({ reason }) => reason === "VolumeModifiedDuringRestore")).toEqual([]);
    const ended = decideInPlace({
      restore: writing({ conditions }),
      use: { type: "Free" },
      run: run(succeeded({ restore: answer })),
    });
    expect(ended.status?.phase).toBe("Completed");
    expect(used(ended)).toMatchObject({ status: "True", message: expect.stringContaining("web-1") });
  });

  test("nothing is scaled down any more once the data is there, and it is still said", () => {
    const decision = decideInPlace({
      restore: writing(),
      use: scaleAgain,
      run: run(succeeded({ restore: answer })),
    });
    expect(decision.intents).not.toContainEqual({ type: "Scale", intents: scaleAgain.intents });
    expect(used(decision)).toMatchObject({ status: "True" });
  });
});
