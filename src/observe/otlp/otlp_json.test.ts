import { expect, test } from "vitest";
import { Metrics } from "../metrics.ts";
import { logsJson, metricsJson, spansJson } from "./otlp_json.ts";

const RESOURCE = { "service.name": "holdfast" };
const resource = { attributes: [{ key: "service.name", value: { stringValue: "holdfast" } }] };
const scope = { name: "holdfast" };

test("spans", () => {
  const span = { trace: "aa", id: "bb", name: "run", start: 1.5, end: 1_700_000_000_000 };
  const attributes = { text: "a", whole: 2, part: 0.5, yes: true };
  expect(
    spansJson(RESOURCE, [
      { ...span, attributes },
      { ...span, parent: "cc", attributes: {}, error: "lost" },
    ]),
  ).toEqual({
    resourceSpans: [
      {
        resource,
        scopeSpans: [
          {
            scope,
            spans: [
              {
                traceId: "aa",
                spanId: "bb",
                name: "run",
                kind: 1,
                startTimeUnixNano: "1500000",
                endTimeUnixNano: "1700000000000000000",
                attributes: [
                  { key: "text", value: { stringValue: "a" } },
                  { key: "whole", value: { intValue: "2" } },
                  { key: "part", value: { doubleValue: 0.5 } },
                  { key: "yes", value: { boolValue: true } },
                ],
                status: {},
              },
              expect.objectContaining({ parentSpanId: "cc", status: { code: 2, message: "lost" } }),
            ],
          },
        ],
      },
    ],
  });
});

test("lines of the log", () => {
  const record = { time: 1, level: "warn", message: "down", attributes: {} };
  expect(logsJson(RESOURCE, [record])).toEqual({
    resourceLogs: [
      {
        resource,
        scopeLogs: [
          {
            scope,
            logRecords: [
              {
                timeUnixNano: "1000000",
                severityNumber: 13,
                severityText: "WARN",
                body: { stringValue: "down" },
                attributes: [],
              },
            ],
          },
        ],
      },
    ],
  });
});

test("metrics: what counts without its ending, what is measured, and distributions by what lies between bounds", async () => {
  const metrics = new Metrics();
  metrics.counter({ name: "a_total", help: "A", labels: ["kind"] })({ kind: "x" }, 3);
  metrics.gauge({ name: "b", help: "B", read: () => [{ value: 1.5 }] });
  metrics.gauge({ name: "empty", help: "E", labels: ["kind"], read: () => [] });
  const took = metrics.durations({ name: "c_seconds", help: "C", labels: ["kind"], buckets: [1, 10] });
  for (const [kind, seconds] of [
    ["x", 0.5],
    ["x", 5],
    ["x", 6],
    ["x", 60],
    ["y", 1],
  ] as const)
    took({ kind }, seconds);
  const json = metricsJson(RESOURCE, await metrics.values(), 2) as {
    resourceMetrics: [{ scopeMetrics: [{ metrics: readonly { name: string }[] }] }];
  };
  const found = (name: string) =>
    json.resourceMetrics[0].scopeMetrics[0].metrics.find((metric) => metric.name === name);
  const stamps = { timeUnixNano: "2000000" };
  const kind = (value: string) => [{ key: "kind", value: { stringValue: value } }];
  expect(found("a")).toEqual({
    name: "a",
    description: "A",
    sum: {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [{ ...stamps, asDouble: 3, attributes: kind("x") }],
    },
  });
  expect(found("b")).toEqual({
    name: "b",
    description: "B",
    gauge: { dataPoints: [{ ...stamps, asDouble: 1.5, attributes: [] }] },
  });
  expect(found("empty")).toBeUndefined();
  const bounds = { ...stamps, explicitBounds: [1, 10] };
  expect(found("c_seconds")).toEqual({
    name: "c_seconds",
    description: "C",
    histogram: {
      aggregationTemporality: 2,
      dataPoints: [
        { ...bounds, attributes: kind("x"), count: "4", sum: 71.5, bucketCounts: ["1", "2", "1"] },
        { ...bounds, attributes: kind("y"), count: "1", sum: 1, bucketCounts: ["1", "0", "0"] },
      ],
    },
  });
});

test.each([
  [Number.POSITIVE_INFINITY, "Infinity"],
  [Number.NEGATIVE_INFINITY, "-Infinity"],
  [Number.NaN, "NaN"],
])("a number that JSON does not know, such as %s, is a word", async (value, word) => {
  const metrics = new Metrics();
  metrics.gauge({ name: "a", help: "A", read: () => [{ value }] });
  const values = (await metrics.values()).filter(({ name }) => name === "a");
  const { resourceMetrics } = JSON.parse(JSON.stringify(metricsJson(RESOURCE, values, 2)));
  expect(resourceMetrics[0].scopeMetrics[0].metrics).toMatchObject([
    { gauge: { dataPoints: [{ asDouble: word }] } },
  ]);
  const span = { trace: "aa", id: "bb", name: "run", start: 1, end: 2, attributes: { part: value } };
  expect(JSON.stringify(spansJson(RESOURCE, [span]))).toContain(`{"doubleValue":"${word}"}`);
});
