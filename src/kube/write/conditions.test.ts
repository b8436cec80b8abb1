import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Condition, mergeConditions, ready, reconciling, stalled } from "./conditions.ts";

const verdict = { reason: "AllGood", message: "three of three", generation: 4 };
const at = (time: string) => Date.parse(time);
const EARLIER = "2026-01-01T00:00:00Z";
const LATER = "2026-01-01T01:00:00Z";

const present: Condition = {
  type: "Ready",
  status: "True",
  reason: "Old",
  message: "old",
  lastTransitionTime: EARLIER,
};

describe("mergeConditions()", () => {
  test("keeps the transition time while the status stays, and takes the rest over", () => {
    expect(mergeConditions([present], ready(verdict), at(LATER))).toEqual([
      {
        type: "Ready",
        status: "True",
        reason: "AllGood",
        message: "three of three",
        observedGeneration: 4,
        lastTransitionTime: EARLIER,
      },
    ]);
  });

  test("sets the transition time, in whole seconds, when the status changes", () => {
    const merged = mergeConditions([present], stalled(verdict), at(LATER) + 999);
    expect(merged.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ["Ready", LATER],
      ["Stalled", LATER],
    ]);
  });

  test("leaves conditions of other types as and where they are", () => {
    const foreign: Condition = { ...present, type: "Verified" };
    const merged = mergeConditions([foreign, present], reconciling(verdict), at(LATER));
    expect(merged[0]).toBe(foreign);
    expect(merged.map((condition) => condition.type)).toEqual(["Verified", "Ready", "Reconciling"]);
  });

  test("keeps a condition's place in the list", () => {
    const other: Condition = { ...present, type: "Verified" };
    const merged = mergeConditions([present, other], ready(verdict), at(LATER));
    expect(merged.map((condition) => condition.type)).toEqual(["Ready", "Verified"]);
  });

  test("says nothing of a generation that is not known", () => {
    const merged = mergeConditions([], ready({ ...verdict, generation: undefined }), at(LATER));
    expect(merged[0]).not.toHaveProperty("observedGeneration");
  });

  test("cuts a long message", () => {
    const merged = mergeConditions([], ready({ ...verdict, message: "x".repeat(5000) }), at(LATER));
    expect(Buffer.byteLength(merged[0]?.message ?? "")).toBe(1024);
  });

  test.each(["", "not camel", "lower", "With-Dash", "Ünicode", "X".repeat(129)])(
    "refuses the reason %j",
    (reason) => {
      expect(() => mergeConditions([], ready({ ...verdict, reason }), 0)).toThrow(
        `condition Ready: the reason ${JSON.stringify(reason)} is not one CamelCase word`,
      );
    },
  );

  test("changes nothing when merged a second time, at whatever time", () => {
    const make = fc.constantFrom(ready, reconciling, stalled);
    fc.assert(
      fc.property(fc.array(make, { maxLength: 5 }), make, (history, last) => {
        const before = history.reduce<readonly Condition[]>(
          (list, next, i) => mergeConditions(list, next(verdict), at(EARLIER) + i * 1000),
          [],
        );
        const once = mergeConditions(before, last(verdict), at(LATER));
        expect(mergeConditions(once, last(verdict), at(LATER) + 5000)).toEqual(once);
      }),
    );
  });
});

describe("the summary conditions", () => {
  const typesAfter = (wanted: ReturnType<typeof ready>) =>
    mergeConditions(mergeConditions([], stalled(verdict), 0), wanted, 0).map(
      ({ type, status }) => `${type}=${status}`,
    );

  test("ready() is Ready and nothing else", () => {
    expect(typesAfter(ready(verdict))).toEqual(["Ready=True"]);
  });

  test("reconciling() is not ready, and takes Stalled away", () => {
    expect(typesAfter(reconciling(verdict))).toEqual(["Ready=False", "Reconciling=True"]);
  });

  test("stalled() is not ready, and takes Reconciling away", () => {
    const merged = mergeConditions(mergeConditions([], reconciling(verdict), 0), stalled(verdict), 0);
    expect(merged.map(({ type, status }) => `${type}=${status}`)).toEqual(["Ready=False", "Stalled=True"]);
  });
});
