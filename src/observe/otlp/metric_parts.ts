import type { MetricValues } from "./otlp_json.ts";

/** Values in one request: collectors refuse bodies of many megabytes. */
const MOST_VALUES = 5_000;

/** The metrics in parts that can be sent one by one. A metric of many values is in several; a histogram never is. */
export function metricParts(
  metrics: readonly MetricValues[],
  most: number = MOST_VALUES,
): readonly (readonly MetricValues[])[] {
  const parts: MetricValues[][] = [];
  let room = 0;
  for (const metric of metrics) {
    for (const piece of piecesOf(metric, most)) {
      const part = parts.at(-1);
      if (part && piece.values.length <= room) part.push(piece);
      else {
        parts.push([piece]);
        room = most;
      }
      room -= piece.values.length;
    }
  }
  return parts;
}

function piecesOf(metric: MetricValues, most: number): readonly MetricValues[] {
  const { values, type } = metric;
  if (values.length <= most || type === "histogram") return [metric];
  return Array.from({ length: Math.ceil(values.length / most) }, (_, i) => ({
    ...metric,
    values: values.slice(i * most, (i + 1) * most),
  }));
}
