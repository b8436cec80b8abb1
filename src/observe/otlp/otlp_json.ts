/**
 * What OTLP's JSON looks like: https://opentelemetry.io/docs/specs/otlp. 64-bit integers are strings in it, ids are
 * hex, and enums are numbers.
 */

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A stretch of work. Times are wall time in milliseconds. */
export interface Span {
  /** 32 hex digits: the spans of one trace share it. */
  readonly trace: string;
  /** 16 hex digits. */
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  /** Why it failed; absent where it did not. */
  readonly error?: string;
}

/** A line of the log, as pino writes it. */
export interface LogRecord {
  readonly time: number;
  readonly level: string;
  readonly message: string;
  readonly attributes: Attributes;
}

/** A metric as prom-client has it. */
export interface MetricValues {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly MetricValue[];
}

export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly metricName?: string;
}

const SEVERITIES: Readonly<Record<string, number>> = { debug: 5, info: 9, warn: 13, error: 17 };
const INTERNAL = 1;
const FAILED = 2;
const CUMULATIVE = 2;
const SCOPE = { name: "holdfast" };

export function spansJson(resource: Attributes, spans: readonly Span[]): object {
  return {
    resourceSpans: [
      { resource: resourceJson(resource), scopeSpans: [{ scope: SCOPE, spans: spans.map(spanJson) }] },
    ],
  };
}

export function logsJson(resource: Attributes, records: readonly LogRecord[]): object {
  return {
    resourceLogs: [
      { resource: resourceJson(resource), scopeLogs: [{ scope: SCOPE, logRecords: records.map(logJson) }] },
    ],
  };
}

/** As they are `now`. When counting began is not told: some counts are older than this process. */
export function metricsJson(resource: Attributes, metrics: readonly MetricValues[], now: number): object {
  const stamp = { timeUnixNano: nanos(now) };
  const told = metrics.filter(({ values }) => values.length > 0).map((metric) => metricJson(metric, stamp));
  return {
    resourceMetrics: [{ resource: resourceJson(resource), scopeMetrics: [{ scope: SCOPE, metrics: told }] }],
  };
}

function resourceJson(attributes: Attributes): object {
  return { attributes: attributesJson(attributes) };
}

function spanJson(span: Span): object {
  return {
    traceId: span.trace,
    spanId: span.id,
    ...(span.parent === undefined ? {} : { parentSpanId: span.parent }),
    name: span.name,
    kind: INTERNAL,
    startTimeUnixNano: nanos(span.start),
    endTimeUnixNano: nanos(span.end),
    attributes: attributesJson(span.attributes),
    status: span.error === undefined ? {} : { code: FAILED, message: span.error },
  };
}

function logJson({ time, level, message, attributes }: LogRecord): object {
  return {
    timeUnixNano: nanos(time),
    severityNumber: SEVERITIES[level] ?? 0,
    severityText: level.toUpperCase(),
    body: { stringValue: message },
    attributes: attributesJson(attributes),
  };
}

interface Stamp {
  readonly timeUnixNano: string;
}

function metricJson(metric: MetricValues, stamp: Stamp): object {
  const { help: description, type } = metric;
  // Whoever turns it back into Prometheus' format puts the end there again.
  const name = type === "counter" ? metric.name.replace(/_total$/, "") : metric.name;
  if (type === "histogram") {
    const dataPoints = histogramPoints(metric, stamp);
    return { name, description, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
  }
  const dataPoints = metric.values.map(({ value, labels }) => ({
    ...stamp,
    asDouble: doubleJson(value),
    attributes: attributesJson(defined(labels)),
  }));
  if (type !== "counter") return { name, description, gauge: { dataPoints } };
  return { name, description, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
}

interface Distribution {
  readonly attributes: Attributes;
  readonly bounds: number[];
  /** How many are at or below each bound. */
  readonly upTo: number[];
  sum: number;
  count: number;
}

/** prom-client lists each bucket, sum and count as a value of its own; here they are one point. */
function histogramPoints({ name, values }: MetricValues, stamp: Stamp): object[] {
  const points = new Map<string, Distribution>();
  for (const { value, labels, metricName } of values) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(Object.entries(rest).toSorted());
    const point = points.get(key) ?? { attributes: defined(rest), bounds: [], upTo: [], sum: 0, count: 0 };
    points.set(key, point);
    if (metricName === `${name}_sum`) point.sum = value;
    else if (metricName === `${name}_count`) point.count = value;
    else if (le !== undefined && Number.isFinite(Number(le))) {
      point.bounds.push(Number(le));
      point.upTo.push(value);
    }
  }
  return Array.from(points.values(), ({ attributes, bounds, upTo, sum, count }) => ({
    ...stamp,
    attributes: attributesJson(attributes),
    count: String(count),
    sum,
    explicitBounds: bounds,
    bucketCounts: [...upTo, count].map((upper, i) => String(upper - (upTo[i - 1] ?? 0))),
  }));
}

function defined(labels: MetricValue["labels"]): Attributes {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== undefined)) as Attributes;
}

function attributesJson(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueJson(value) }));
}

function valueJson(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: doubleJson(value) };
}

/** JSON has no word for these, and null would be no number: they are written as strings. */
function doubleJson(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
