import type { Structural } from "../../../kube/schema/structural.ts";

const MOST = 999_999_999_999;

/** A value of this schema in which nothing could be longer, or there more often. */
export function fullest(schema: Structural, name = ""): unknown {
  const { type, properties, items, maxItems = 1, maxLength = 64, maximum = MOST, format } = schema;
  const values = schema.enum;
  if (schema["x-kubernetes-int-or-string"]) return MOST;
  if (values) return values.toSorted((a, b) => String(b).length - String(a).length)[0];
  if (format === "date-time") return "2026-05-24T02:13:00Z";
  if (type === "array" && items) return Array.from({ length: maxItems }, (_, n) => numbered(items, n));
  if (type === "object" && properties) {
    return Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, fullest(part, key)]));
  }
  if (type === "integer" || type === "number") return maximum;
  if (type === "boolean") return true;
  return type === "string" ? textOf(name, maxLength) : {};
}

/** The words that programs read are short, whatever a schema allows. */
const LONGEST = { type: 32, reason: 32, kind: 32 } as const;

function textOf(name: string, maxLength: number): string {
  const longest = name in LONGEST ? LONGEST[name as keyof typeof LONGEST] : maxLength;
  return "x".repeat(Math.min(longest, maxLength));
}

/** No two entries of a list have the same name. */
function numbered(schema: Structural, n: number): unknown {
  const value = fullest(schema);
  if (typeof value !== "object" || value === null) return value;
  const named = Object.entries(value).map(([key, part]) =>
    typeof part === "string" && ["type", "name", "kind"].includes(key)
      ? [key, `${n}${part}`.slice(0, part.length)]
      : [key, part],
  );
  return Object.fromEntries(named);
}
