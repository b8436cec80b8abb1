import type { ShownObject } from "../../core/view/shown_object.ts";
import { agoText } from "../../core/view/times_text.ts";
import { bytesText } from "../../lib/bytes_text.ts";
import { isRecord } from "../../lib/json.ts";

/** What only the operator, or another command, has a use for. */
const LEFT_OUT = ["work", "logTail", "observedGeneration", "conditions", "recent", "handledRunRequest"];

/** The spec and the status of an object, a field in a line, with sizes and times in words. */
export function describedLines(object: ShownObject, now: number): readonly string[] {
  const { kind, metadata, status } = object;
  const { spec } = object as { readonly spec?: unknown };
  const { namespace, name, labels = {}, annotations = {}, creationTimestamp, deletionTimestamp } = metadata;
  const ours = Object.entries({ ...labels, ...annotations }).filter(([key]) => !key.startsWith("kubectl."));
  const conditions = status?.conditions ?? [];
  return [
    `${kind} ${name}${namespace ? ` in namespace ${namespace}` : ""}: ${status?.phase ?? "no status yet"}`,
    `created: ${creationTimestamp} (${agoText(creationTimestamp, now)})`,
    ...(deletionTimestamp ? [`being deleted since: ${agoText(deletionTimestamp, now)}`] : []),
    ...ours.map(([key, value]) => `${key}: ${value}`),
    ...section("spec", spec, now),
    ...section("status", status, now),
    ...(conditions.length > 0 ? ["", "conditions:"] : []),
    ...conditions.map(
      ({ type, status: holds, reason, message, lastTransitionTime }) =>
        `  ${type}: ${holds} (${reason}, ${agoText(lastTransitionTime, now)}): ${message}`,
    ),
  ];
}

function section(title: string, value: unknown, now: number): readonly string[] {
  const lines = isRecord(value) ? fields(value, 1, now) : [];
  return lines.length > 0 ? ["", `${title}:`, ...lines] : [];
}

function fields(record: Readonly<Record<string, unknown>>, depth: number, now: number): readonly string[] {
  return Object.entries(record)
    .filter(([name, value]) => value !== undefined && !LEFT_OUT.includes(name))
    .flatMap(([name, value]) => field(name, value, depth, now));
}

function field(name: string, value: unknown, depth: number, now: number): readonly string[] {
  const indent = "  ".repeat(depth);
  if (Array.isArray(value)) {
    if (value.every((one) => !isRecord(one)))
      return value.length > 0 ? [`${indent}${name}: ${value.join(", ")}`] : [];
    return value.flatMap((one, index) => field(`${name}[${index}]`, one, depth, now));
  }
  if (isRecord(value)) {
    const inner = fields(value, depth + 1, now);
    return inner.length > 0 ? [`${indent}${name}:`, ...inner] : [];
  }
  return [`${indent}${name}: ${valueText(name, value, now)}`];
}

function valueText(name: string, value: unknown, now: number): string {
  if (typeof value === "number" && /bytes/i.test(name)) return `${value} (${bytesText(value)})`;
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value))
    return `${value} (${agoText(value, now)})`;
  return String(value);
}
