import { expect, test } from "vitest";
import { daysOf } from "./days.ts";

const now = Date.parse("2026-05-24T12:00:00Z");
const made = (claim: string, at: string, bytes?: number, more: object = {}) => ({
  object: { kind: "Backup", name: `${claim}-${at}` },
  claim,
  at,
  bytes,
  ...more,
});

test("each day tells what was backed up, what failed, and how much there was at its end", () => {
  const snapshots = [
    made("a", "2026-05-20T03:00:00Z", 5),
    made("a", "2026-05-23T03:00:00Z", 7),
    made("b", "2026-05-23T04:00:00Z", 100),
    made("b", "2026-05-24T04:00:00Z", 1, { incomplete: "half" }),
  ];
  const failures = ["2026-05-24T05:00:00Z", "2026-05-24T06:00:00Z"];
  expect(daysOf({ snapshots, failures, now, count: 3 })).toEqual([
    { day: "2026-05-22", good: 0, incomplete: 0, failed: 0, bytes: 5 },
    { day: "2026-05-23", good: 2, incomplete: 0, failed: 0, bytes: 107 },
    { day: "2026-05-24", good: 0, incomplete: 1, failed: 2, bytes: 107 },
  ]);
});

test("days are those of UTC, and those without anything can be left out", () => {
  const snapshots = [made("a", "2026-05-23T23:30:00-02:00", 5)];
  expect(daysOf({ snapshots, failures: [], now, count: 30, sparse: true })).toEqual([
    { day: "2026-05-24", good: 1, incomplete: 0, failed: 0, bytes: 5 },
  ]);
});

test("a time that nobody can read is on no day", () => {
  const snapshots = [made("a", "yesterday", 5)];
  expect(daysOf({ snapshots, failures: [""], now, count: 2, sparse: true })).toEqual([]);
});
