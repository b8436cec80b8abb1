import { describe, expect, test } from "vitest";
import { FIRST_ATTEMPT } from "../../../core/work/run_record.ts";
import type { UseDecision } from "../../../core/workloads/scaling/decide_use.ts";
import { SCALED_FOR, SCALED_FROM } from "../../../core/workloads/scaling/scaling_marks.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import type { RestoreStatus } from "../../../kinds/kopiur/generated/restore.ts";
import { NOW, succeeded } from "../testing/samples.ts";
import { RESTORE } from "./restore_tasks.ts";
import { decideInPlace, IN_USE, inPlace, keeper, remembered, SCALE } from "./testing/in_place_samples.ts";
import { answer, begins, conditionOf, run } from "./testing/restore_samples.ts";

describe("decideRestore() while the data is written", () => {
  const record = { ...FIRST_ATTEMPT, job: "uid-job" };
  const writing = (more: object = {}) =>
    inPlace({ phase: "Restoring", work: { [RESTORE]: record }, ...more }, { finalizers: [SCALED_WORKLOADS] });
  const used = (decision: { readonly status?: RestoreStatus }) =>
    conditionOf(decision, "VolumeUsedMeanwhile");
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
      expect.objectContaining({ type: "Warning", reason: "VolumeUsedMeanwhile" }),
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
    expect(again.events?.filter(({ reason }) => reason === "VolumeUsedMeanwhile")).toEqual([]);
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
