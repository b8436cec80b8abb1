import { describe, expect, test } from "vitest";
import { FIRST_ATTEMPT } from "../../../core/work/run_record.ts";
import type { TaskState } from "../../../core/work/task_decision.ts";
import { SCALED_FOR, SCALED_FROM } from "../../../core/workloads/scaling/scaling_marks.ts";
import { ROLLOUTS } from "../../../core/workloads/scaling/testing/rollouts.ts";
import { SCALED_WORKLOADS } from "../../../kinds/kopiur/finalizers.ts";
import { edition } from "../editions.ts";
import { AT, failed, NOW, succeeded, UNREACHABLE } from "../testing/samples.ts";
import { RESTORE } from "./restore_tasks.ts";
import { decideInPlace, down, inPlace, keeper, remembered } from "./testing/in_place_samples.ts";
import { answer, begins, conditionOf, run } from "./testing/restore_samples.ts";

describe("decideRestore(): what was scaled down", () => {
  const begun = inPlace({ scaledWorkloads: remembered }, { finalizers: [SCALED_WORKLOADS] });

  test.each<[string, TaskState]>([
    ["success", succeeded({ restore: answer })],
    ["failure", failed(UNREACHABLE)],
  ])("is brought back after %s", (_, state) => {
    const decision = decideInPlace({ restore: begun, scaled: [down], run: run(state) });
    expect(decision.intents).toContainEqual({
      type: "Scale",
      intents: [{ type: "ScaleUp", workload: down, holder: "uid-again" }],
    });
    expect(decision.status?.scaledWorkloads).toEqual(remembered);
  });

  test("stays down while the mover works, and between two attempts", () => {
    const backingOff: TaskState = { phase: "BackingOff", failure: UNREACHABLE, until: AT };
    for (const state of [begins, backingOff]) {
      expect(decideInPlace({ restore: begun, scaled: [down], run: run(state) }).intents).toEqual([]);
    }
  });

  const ended = (status: object) =>
    inPlace({ phase: "Completed", ...status }, { finalizers: [SCALED_WORKLOADS] });

  test("is brought back by whoever looks at an ended Restore, and is forgotten once it is back", () => {
    const object = ended({ scaledWorkloads: remembered });
    expect(decideInPlace({ restore: object, scaled: [down] }).intents).toMatchObject([{ type: "Scale" }]);
    const back = decideInPlace({ restore: object, scaled: [keeper()] });
    expect(back.status?.scaledWorkloads).toBeUndefined();
    expect(back.intents).toEqual([{ type: "LetGo", finalizer: SCALED_WORKLOADS }]);
    expect(decideInPlace({ restore: object, scaled: [] }).intents).toEqual([
      { type: "LetGo", finalizer: SCALED_WORKLOADS },
    ]);
  });

  test("holds nobody who was forgotten before he was let go", () => {
    expect(decideInPlace({ restore: ended({}) }).intents).toEqual([
      { type: "LetGo", finalizer: SCALED_WORKLOADS },
    ]);
    const free = inPlace({ phase: "Completed" });
    expect(decideInPlace({ restore: free })).toEqual({ intents: [] });
  });

  const hidden = [{ resource: ROLLOUTS, name: "web" }];

  test("and may not be read any more is not forgotten, and that is said", () => {
    const object = ended({ scaledWorkloads: remembered });
    const decision = decideInPlace({ restore: object, hidden });
    expect(decision).toMatchObject({
      intents: [],
      events: [
        { type: "Warning", reason: "WorkloadHidden", message: expect.stringMatching(/^Rollout web was/) },
      ],
      wakeAt: NOW + 300_000,
    });
    expect(decision.status).toBeUndefined();
    expect(decideInPlace({ restore: object, hidden, scaled: [down] }).intents).toMatchObject([
      { type: "Scale" },
    ]);
  });

  test.each([
    ["Completed", { progress: { filesRestored: 3 } }, { status: "True", message: "3 files were restored." }],
    ["Failed", { failure: { errorClass: "Unreachable", message: "m", remedy: "r." } }, { message: "m. r." }],
    [
      "Failed",
      {},
      { message: "The restore has failed. Edit it to have it tried again, or create another one." },
    ],
  ] as const)("hides the end no longer once it is back: %s", (phase, more, said) => {
    const conditions = [{ type: "Ready", status: "False", reason: "CannotScale", message: "m" }];
    const record = { ...FIRST_ATTEMPT, edition: edition(inPlace()), outcome: "Failed" };
    const work = { [RESTORE]: record };
    const object = ended({ phase, ...more, work, conditions, scaledWorkloads: remembered });
    const decision = decideInPlace({ restore: object, scaled: [keeper()] });
    expect(decision.status?.scaledWorkloads).toBeUndefined();
    expect(conditionOf(decision, "Ready")).toMatchObject(said);
  });

  test("of another is not ours to bring back", () => {
    const others = keeper({ [SCALED_FOR]: "uid-other", [SCALED_FROM]: "2" }, 0);
    const decision = decideInPlace({ restore: ended({ scaledWorkloads: remembered }), scaled: [others] });
    expect(decision.intents).toEqual([{ type: "LetGo", finalizer: SCALED_WORKLOADS }]);
  });
});
