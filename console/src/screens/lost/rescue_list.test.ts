import { describe, expect, test } from "vitest";
import type { LostView } from "../../../../src/core/view/view.ts";
import { byNamespace, lineOf, ordered, overallOf, type Rescue } from "./rescue_list.ts";

const MIB = 2 ** 20;
const lost = (claim: string, bytes?: number, at = "2026-05-24T03:00:00Z"): LostView => ({
  claim,
  lastGood: { object: { kind: "Backup", namespace: "shop", name: "b" }, claim, at, bytes },
  restore: `holdfast restore config/docs --to ${claim.split("/")[1]} -n ${claim.split("/")[0]}`,
});

describe("ordered()", () => {
  const all = [
    lost("shop/b", 5),
    lost("shop/c"),
    lost("shop/a", 9, "2026-05-25T03:00:00Z"),
    lost("play/z", 5),
  ];
  test.each([
    ["name", "play/z shop/a shop/b shop/c"],
    ["small", "play/z shop/b shop/a shop/c"],
    ["large", "shop/a play/z shop/b shop/c"],
    ["new", "shop/a play/z shop/b shop/c"],
  ] as const)("%s", (order, expected) => {
    expect(
      ordered(all, order)
        .map(({ claim }) => claim)
        .join(" "),
    ).toBe(expected);
  });
});

test("lost PVCs stand by namespace", () => {
  const found = byNamespace([lost("shop/b"), lost("play/z"), lost("shop/a")]);
  expect([...found].map(([name, all]) => [name, all.length])).toEqual([
    ["play", 1],
    ["shop", 2],
  ]);
});

test.each([
  ["holdfast restore config/docs --to documents -n shop", "shop", "restore config/docs --to documents"],
  ["holdfast restore -n shop config/docs --to documents", "shop", "restore config/docs --to documents"],
  ["holdfast restore config/docs --to documents", "home", "restore config/docs --to documents"],
])("the command %j runs in %s", (restore, namespace, words) => {
  const line = lineOf({ ...lost("home/documents"), restore });
  expect([line.namespace, line.words.join(" ")]).toEqual([namespace, words]);
});

describe("overallOf()", () => {
  const rescue = (phase: Rescue["phase"], bytes: number | undefined, percent?: number): Rescue => ({
    lost: lost("shop/a", bytes),
    phase,
    percent,
  });

  test("is by bytes, and tells the time left", () => {
    const all = [rescue("done", 99 * MIB), rescue("running", 99 * MIB, 50), rescue("waiting", 199 * MIB)];
    expect(overallOf(all, 60_000)).toEqual({ percent: 37, done: 1, failed: 0, all: 3, left: 100_000 });
  });

  test("tells no time from what failed, and none at the beginning", () => {
    expect(overallOf([rescue("failed", 99 * MIB), rescue("waiting", 99 * MIB)], 1000)).toEqual({
      ...{ percent: 50, done: 0, failed: 1, all: 2 },
    });
    expect(overallOf([rescue("running", 99 * MIB, 1)], 1000).left).toBeUndefined();
  });

  test("is complete when nothing waits or runs, and not before", () => {
    expect(overallOf([rescue("done", 1), rescue("failed", 1), rescue("left", 1)], 1).percent).toBe(100);
    expect(overallOf([rescue("running", 1, 100)], 1).percent).toBe(99);
  });

  test("counts one of unknown size like the others", () => {
    const all = [rescue("done", 9 * MIB), rescue("waiting", undefined)];
    expect(overallOf(all, 10_000)).toMatchObject({ percent: 50, left: 10_000 });
  });
});
