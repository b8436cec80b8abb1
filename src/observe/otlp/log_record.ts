import type { Attributes, LogRecord } from "./otlp_json.ts";

/** What a line of pino's says. */
export function logRecord(line: string): LogRecord {
  const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  return {
    time: Date.parse(String(time)),
    level: String(level),
    message: String(msg),
    attributes: flat(fields),
  };
}

function flat(fields: Record<string, unknown>): Attributes {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isPlain(value) ? value : JSON.stringify(value)]),
  );
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
