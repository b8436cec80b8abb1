import { describe, expect, test } from "vitest";
import { ok } from "../../lib/result.ts";
import type { Snapshot } from "../../wire/snapshot.ts";
import { AT, failed, NOW, snapshot, UNREACHABLE, working } from "../testing/samples.ts";
import type { TaskState } from "../work/task_decision.ts";
import type { Ask } from "./resolution.ts";
import { ASK, asking, catalog, conditionOf, decide, ours, PINNED } from "./testing/restore_samples.ts";

/** What is decided, and told, when the repository answers with these. */
function told(...snapshots: readonly Snapshot[]) {
  const { status, events } = decide({ resolution: ok(ASK), asking: asking(catalog(snapshots)) });
  return { taken: status?.resolved?.snapshotID, events };
}

const whole = snapshot({ startedAt: "2026-05-23T02:00:00Z" });
const older = { id: "k0", startedAt: "2026-05-22T02:00:00Z" };

describe("the repository's answer", () => {
  test.each([
    [
      "one that a failed backup left",
      { startedAt: "2026-05-24T02:00:00Z", incomplete: "3 files could not be read" },
      "it is incomplete: 3 files could not be read",
    ],
    ["one from the future", { startedAt: "2026-05-25T02:00:00Z" }, "it is from the future"],
  ])("that passes over %s, though it is newer, is told with what is taken instead", (_, more, why) => {
    const { taken, events } = told(snapshot({ id: "k2", ...more }), whole);
    expect(taken).toBe("k1");
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "Resolved",
        message: expect.stringMatching(
          new RegExp(
            `^Snapshot k1, of ${whole.startedAt}, is restored\\. There is a newer one, k2, which is not taken unasked: ${why}`,
          ),
        ),
      },
    ]);
  });

  test.each([
    ["there is no other", []],
    ["that is older", [snapshot({ ...older, incomplete: "3 files could not be read" })]],
  ])("is told without more where nothing newer is passed over: %s", (_, others) => {
    const { taken, events } = told(whole, ...others);
    expect(taken).toBe("k1");
    expect(events).toEqual([{ type: "Normal", reason: "Resolved", message: "What is restored is decided." }]);
  });

  test("takes one without files that its backup was allowed to leave out", () => {
    expect(
      told(snapshot({ id: "k2", startedAt: "2026-05-24T02:00:00Z", failedFiles: 3 }), whole),
    ).toMatchObject({ taken: "k2", events: [{ type: "Normal" }] });
  });
});

test("a list that was cut, and says nothing of the sizes before it, is no measure", () => {
  const one = snapshot({ startedAt: "2026-05-23T02:00:00Z" });
  const ask = (shrink: Ask["shrink"], answer: TaskState) =>
    decide({ resolution: ok({ ...ASK, ...(shrink ? { shrink } : {}) }), asking: asking(answer) });
  const reason = (shrink: Ask["shrink"], answer = catalog([one], 150)) =>
    conditionOf(ask(shrink, answer), "Stalled")?.reason;
  expect(reason({ maxShrinkPercent: 50 })).toBe("SizesUnknown");
  expect(reason({ maxShrinkPercent: 50 }, catalog([one]))).toBeUndefined();
  expect(reason({ maxShrinkPercent: 50 }, catalog([one], 150, undefined, []))).toBeUndefined();
  expect(reason({ maxShrinkPercent: 100 })).toBeUndefined();
  expect(reason(undefined)).toBeUndefined();
  expect(reason({ maxShrinkPercent: 50, known: new Map([[one.run ?? "", undefined]]) })).toBeUndefined();
  expect(reason({ maxShrinkPercent: 50, measuredFrom: Number.POSITIVE_INFINITY })).toBeUndefined();
});

describe("decideRestore(): the source", () => {
  test("is asked for in the repository, and its answer is pinned before anything else happens", () => {
    const before = decide({ resolution: ok(ASK), asking: asking(working) });
    expect(before).toMatchObject({ status: { phase: "Resolving", work: { "ask-1": {} } }, intents: [] });
    const after = decide({ resolution: ok(ASK), asking: asking(catalog([snapshot()])) });
    expect(after).toMatchObject({
      status: { phase: "Resolving", resolved: { snapshotID: "k1", runID: "run-1", pinnedAt: AT } },
      intents: [],
      wakeAt: NOW,
    });
  });

  test("that is not there fails, where it must be there", () => {
    const decision = decide({ resolution: ok(ASK), asking: asking(catalog([])) });
    expect(decision.status).toMatchObject({ phase: "Failed" });
    expect(decision.status?.resolved).toBeUndefined();
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "NoSnapshot" });
  });

  test.each(["IfNew", "Always"] as const)(
    "that definitely is not there makes an empty volume, where that is wanted: %s",
    (startEmpty) => {
      const asked = ok({ ...ASK, startEmpty });
      const pinned = decide({ resolution: asked, asking: asking(catalog([])) });
      expect(pinned.status?.resolved).toMatchObject({ noSnapshot: true });
      const resolution = ok({ type: "Pinned", pinned: { ...PINNED, noSnapshot: true } } as const);
      expect(decide({ resolution }).intents).toMatchObject([{ type: "EnsureClaim" }]);
      const decision = decide({ resolution, claim: ours });
      expect(decision.status).toMatchObject({ phase: "Completed" });
      expect(conditionOf(decision, "Ready")).toMatchObject({ status: "True", reason: "NoSnapshot" });
    },
  );

  const before = "2020-01-01T00:00:00Z";
  const EARLIER = "holds snapshots of data@billing:/pvc/data, and none as far back as moment and offset say";
  test.each<[string, Partial<Ask>, TaskState, string]>([
    ["fewer snapshots than offset goes back", { point: { offset: 1 } }, catalog([snapshot()]), EARLIER],
    ["only snapshots after asOf", { point: { asOf: before } }, catalog([], 0, 2), EARLIER],
    ["perhaps snapshots after asOf", { point: { asOf: before } }, catalog([]), EARLIER],
    [
      "nothing of a volume that was backed up before",
      { backedUpBefore: true },
      catalog([]),
      "no snapshot of data@billing:/pvc/data, though the volume was backed up before",
    ],
  ])(
    "is not taken for a first deployment where the repository holds %s, unless that is asked for",
    (_, more, answer, message) => {
      const asked = (startEmpty: Ask["startEmpty"]) =>
        decide({ resolution: ok({ ...ASK, ...more, startEmpty }), asking: asking(answer) });
      const decision = asked("IfNew");
      expect(decision.status).toMatchObject({ phase: "Failed" });
      expect(decision.status?.resolved).toBeUndefined();
      const stalled = conditionOf(decision, "Stalled");
      expect(stalled?.reason).toBe("NoSnapshot");
      expect(stalled?.message).toContain(message);
      expect(stalled?.message).toMatch(/or set startEmpty: true for an empty volume\.$/);
      expect(asked("Always").status?.resolved).toMatchObject({ noSnapshot: true });
    },
  );

  test("that no snapshot is as old as makes an empty volume, where none is younger", () => {
    const resolution = ok({ ...ASK, point: { asOf: before }, startEmpty: "IfNew" } as const);
    const decision = decide({ resolution, asking: asking(catalog([], 0, 0)) });
    expect(decision.status?.resolved).toMatchObject({ noSnapshot: true });
  });

  test("an unreachable repository is not an empty one", () => {
    const resolution = ok({ ...ASK, startEmpty: "Always" } as const);
    const decision = decide({ resolution, asking: asking(failed(UNREACHABLE)) });
    expect(decision.status).toMatchObject({ phase: "Failed", failure: { errorClass: "Unreachable" } });
    expect(decision.status?.resolved).toBeUndefined();
    expect(decision.intents).toEqual([]);
  });

  test("further back than the repository was asked is not taken for missing", () => {
    const resolution = ok({ ...ASK, point: { offset: 500 }, startEmpty: "Always" } as const);
    const decision = decide({ resolution, asking: asking(catalog([snapshot()], 700)) });
    expect(conditionOf(decision, "Stalled")).toMatchObject({ reason: "TooFarBack" });
  });
});
