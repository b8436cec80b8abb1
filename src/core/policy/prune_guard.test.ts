import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FinishedRun, PRUNE_GUARD, type PruneGuardRequest, pruneGuard } from "./prune_guard.ts";

const run = (id: number, more: Partial<FinishedRun> = {}): FinishedRun => ({
  id: `run-${id}`,
  at: id,
  succeeded: true,
  ...more,
});
const sizes = (...bytes: readonly number[]) => bytes.map((size, i) => run(i, { bytes: size }));
const failed = (id: number) => run(id, { succeeded: false });
const guard = (runs: readonly FinishedRun[], acknowledged: PruneGuardRequest["acknowledged"] = {}) =>
  pruneGuard({ runs, acknowledged });

describe("a source that shrank", () => {
  test("pauses pruning, and says from what to what", () => {
    expect(guard(sizes(1000, 1100, 900, 499))).toEqual({
      reason: "SourceShrank",
      message:
        "the source shrank to 499 bytes in run-3, from 1000 as the median of the runs before it: if data is missing, restore an earlier snapshot; if the source is meant to be this small, acknowledge it, and pruning goes on",
      run: "run-3",
    });
  });

  test.each([
    ["half of the median is enough", sizes(1000, 1100, 900, 500)],
    ["one large run among them is no measure", sizes(100, 100, 9000, 100)],
    ["slowly is not suddenly", sizes(1000, 700, 500, 400, 350)],
    ["growing is fine", sizes(10, 1000, 100_000)],
    ["nothing to compare with", sizes(5)],
    ["always empty", sizes(0, 0, 0)],
    ["unknown sizes say nothing", [run(0, { bytes: 100 }), run(1), run(2)]],
    ["nothing at all", []],
  ])("%s: no pause", (_, runs) => expect(guard(runs)).toBeUndefined());

  test("files count as well, and an empty source most of all", () => {
    const runs = [run(0, { bytes: 10, files: 100 }), run(1, { bytes: 10, files: 1 })];
    expect(guard(runs)?.message).toContain("shrank to 1 files in run-1, from 100");
    expect(guard(sizes(1000, 0))?.run).toBe("run-1");
  });

  test("the pause does not end by itself, however long the source stays small", () => {
    const runs = sizes(1000, 1000, ...Array(50).fill(10));
    expect(guard(runs)?.run).toBe("run-2");
  });

  test("it ends when the source has its size again", () => {
    expect(guard(sizes(1000, 1000, 10, 10, 990))).toBeUndefined();
  });

  test("it ends when it is acknowledged, and the new size is the measure from then on", () => {
    const runs = sizes(1000, 1000, 10, 10, 11);
    expect(guard(runs, { SourceShrank: "run-2" })).toBeUndefined();
    expect(guard([...runs, run(5, { bytes: 2 })], { SourceShrank: "run-2" })?.run).toBe("run-5");
    expect(guard(runs, { SourceShrank: "run-1" })?.run).toBe("run-2");
  });

  test("it ends when the small runs are deleted", () => {
    expect(guard(sizes(1000, 1000, 10).slice(0, 2))).toBeUndefined();
  });
});

describe("a run of failures", () => {
  test("pauses pruning", () => {
    expect(guard([run(0), failed(1), failed(2), failed(3)])).toEqual({
      reason: "RepeatedFailures",
      message:
        "the last 3 runs have failed, so that no new snapshot takes the place of an old one: put right what they report; pruning goes on with the next success",
      run: "run-0",
    });
  });

  test("ends with a success, and with its acknowledgement", () => {
    const runs = [run(0), failed(1), failed(2), failed(3), failed(4)];
    expect(guard([...runs, run(5)])).toBeUndefined();
    expect(guard(runs, { RepeatedFailures: "run-0" })).toBeUndefined();
    expect(guard(runs.slice(0, 3))).toBeUndefined();
  });

  test("pauses again after a success, whatever was acknowledged before it", () => {
    const runs = [run(0), failed(1), failed(2), failed(3), run(4), failed(5), failed(6), failed(7)];
    expect(guard(runs, { RepeatedFailures: "run-0" })).toMatchObject({
      reason: "RepeatedFailures",
      run: "run-4",
    });
  });

  test("is known by the same run while old failures are cleared away", () => {
    expect(guard([run(0), failed(7), failed(8), failed(9)])?.run).toBe("run-0");
    expect(guard([failed(7), failed(8), failed(9)])?.run).toBe("none");
  });
});

test("failures that were cleared away count as they were counted, until one succeeds", () => {
  const counted = (runs: readonly FinishedRun[]) => pruneGuard({ runs, acknowledged: {}, counted: 3 });
  expect(counted([run(0), failed(9)])?.message).toContain("the last 3 runs have failed");
  expect(counted([run(0), failed(9), run(10)])).toBeUndefined();
  expect(counted([run(0)])).toBeUndefined();
});

test("both can be acknowledged, one after the other", () => {
  const runs = [...sizes(1000, 10), failed(2), failed(3), failed(4)];
  expect(guard(runs)?.reason).toBe("SourceShrank");
  expect(guard(runs, { SourceShrank: "run-1" })?.reason).toBe("RepeatedFailures");
  expect(guard(runs, { SourceShrank: "run-1", RepeatedFailures: "run-1" })).toBeUndefined();
});

test("settings of zero look away", () => {
  const settings = { ...PRUNE_GUARD, smallestShare: 0, failures: 0 };
  const runs = [...sizes(1000, 0), failed(2), failed(3), failed(4)];
  expect(pruneGuard({ runs, acknowledged: {}, settings })).toBeUndefined();
});

test("the order of the runs means nothing", () => {
  const bytes = fc.array(fc.nat(2000), { maxLength: 20 });
  fc.assert(
    fc.property(bytes, (list) => {
      const runs = list.map((size, i) => run(i, { bytes: size, succeeded: size % 3 !== 0 }));
      expect(guard(runs.toReversed())).toEqual(guard(runs));
    }),
  );
});
