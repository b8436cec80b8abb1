import { expect, test } from "vitest";
import { metricParts } from "./metric_parts.ts";

const metric = (name: string, count: number, type = "gauge") => ({
  name,
  help: name,
  type,
  values: Array.from({ length: count }, (_, value) => ({ value, labels: {} })),
});
const sizes = (parts: ReturnType<typeof metricParts>) =>
  parts.map((part) => part.map(({ name, values }) => `${name}${values.length}`));

test("metrics go together as long as there is room", () => {
  expect(sizes(metricParts([metric("a", 4), metric("b", 6), metric("c", 1)], 10))).toEqual([
    ["a4", "b6"],
    ["c1"],
  ]);
  expect(metricParts([], 10)).toEqual([]);
});

test("a metric of many values is in several parts, with each value once", () => {
  const parts = metricParts([metric("a", 25)], 10);
  expect(sizes(parts)).toEqual([["a10"], ["a10"], ["a5"]]);
  expect(parts.flat().flatMap(({ values }) => values.map(({ value }) => value))).toEqual(
    Array.from({ length: 25 }, (_, i) => i),
  );
});

test("a histogram stays whole, as its buckets are one value", () => {
  expect(sizes(metricParts([metric("a", 1), metric("h", 25, "histogram"), metric("b", 1)], 10))).toEqual([
    ["a1"],
    ["h25"],
    ["b1"],
  ]);
});
