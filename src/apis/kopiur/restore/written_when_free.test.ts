import { describe, expect, test } from "vitest";
import type { TaskState } from "../../../core/work/task_decision.ts";
import { AT, failed, NOW, snapshot, succeeded, working } from "../testing/samples.ts";
import { answer, conditionOf, decide, ours, run } from "./testing/restore_samples.ts";

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
