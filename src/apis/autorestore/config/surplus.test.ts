import { expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import { NOW, sampleBackup } from "../testing/samples.ts";
import { surplusOf } from "./surplus.ts";

const DAY = 86_400_000;

/** One backup a day, the newest is of today. */
const days = (count: number, more: Parameters<typeof sampleBackup>[1] = {}) =>
  Array.from({ length: count }, (_, day) => {
    const completionTime = new Date(NOW - day * DAY).toISOString();
    return sampleBackup(`day-${day}`, { status: { phase: "Completed", completionTime }, ...more });
  });

const going = (backups: ReturnType<typeof days>, retention: Parameters<typeof surplusOf>[1]) =>
  surplusOf(backups, retention, NOW).map(({ metadata }) => metadata.name);

test.each([
  ["no retention keeps all", undefined, []],
  ["an empty one too", {}, []],
  ["the last two", { keepLast: 2 }, ["day-2", "day-3", "day-4"]],
  ["a span of time", { keepWithin: "36h" }, ["day-2", "day-3", "day-4"]],
  ["a span of time that all have passed keeps the newest", { keepWithin: "0d" }, []],
  ["a span beside a number", { keepLast: 1, keepWithin: "2d12h" }, ["day-3", "day-4"]],
  ["one of each week", { keepWeekly: 2 }, ["day-1", "day-2", "day-3", "day-4"]],
])("surplusOf(): %s", (_, retention, names) => {
  expect(going(days(5), retention)).toEqual(names);
});

test("surplusOf() leaves manual backups, those that go already and those that have not ended", () => {
  expect(going(days(5, { type: "manual" }), { keepLast: 1 })).toEqual([]);
  expect(going(days(5, { status: { phase: "Running" } }), { keepLast: 1 })).toEqual([]);
});

test("surplusOf() keeps the last three that failed, whatever the retention", () => {
  const failed = [1, 2, 3, 4, 5].map((n) =>
    sampleBackup(`failed-${n}`, {
      status: { phase: "Failed", completionTime: new Date(NOW - n * DAY).toISOString() },
    }),
  );
  expect(going(failed, undefined)).toEqual(["failed-4", "failed-5"]);
});

test("surplusOf() keeps every good backup of a volume that was emptied, until that is acknowledged", () => {
  const size = (bytes: number, day: number, annotations?: Record<string, string>) => {
    const completionTime = new Date(NOW - day * DAY).toISOString();
    const one = sampleBackup(`day-${day}`, { status: { phase: "Completed", completionTime, size: bytes } });
    return { ...one, metadata: { ...one.metadata, ...(annotations ? { annotations } : {}) } };
  };
  const before = [size(5000, 3), size(5000, 2)];
  expect(going([...before, size(0, 1)], { keepLast: 1 })).toEqual([]);
  const acknowledged = { [ANNOTATIONS.acknowledgeShrink]: "true" };
  expect(going([...before, size(0, 1, acknowledged)], { keepLast: 1 })).toEqual(["day-3", "day-2"]);
});
