import { describe, expect, test } from "vitest";
import { admit } from "../../kube/schema/admit.ts";
import { problemText } from "../../kube/schema/problem.ts";
import type { Structural } from "../../kube/schema/structural.ts";
import { KINDS } from "./kinds.ts";

const MAX_STATUS = 16 * 1024;
/** More than that no kind has at once. */
const MOST_CONDITIONS = 10;

/** How long a text usually is, of those that may be longer. */
const USUAL: Readonly<Record<string, number>> = {
  message: 160,
  reason: 40,
  logTail: 4096,
  sourcePath: 40,
  pvc: 48,
};
/** What an object has only when things went wrong, where there is room for it, or instead of what fills it most. */
const UNUSUAL: ReadonlySet<string> = new Set([
  "failure",
  "incomplete",
  "losses",
  "runID",
  "snapshot",
  "backupRefs",
  "claim",
  "namespaces",
  "missing",
  "missingData",
]);

/** A status with every field, every list full, and texts of the usual length. */
function full(schema: Structural, name = ""): unknown {
  if (schema["x-kubernetes-int-or-string"]) return "412Gi";
  if (schema.enum) return schema.enum[0];
  if (schema.format === "date-time") return "2026-05-24T17:00:01Z";
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([field]) => !UNUSUAL.has(field))
          .map(([field, child]) => [field, full(child, field)]),
      );
    case "array": {
      const length = name === "conditions" ? MOST_CONDITIONS : (schema.maxItems ?? 0);
      return Array.from({ length }, (_, i) => distinct(full(schema.items ?? {}), i));
    }
    case "integer":
      return Math.min(schema.maximum ?? Number.POSITIVE_INFINITY, 432109876543);
    case "boolean":
      return true;
    default:
      return "x".repeat(Math.min(schema.maxLength ?? 0, USUAL[name] ?? 32));
  }
}

/** Lists with keys take no item twice. */
function distinct(item: unknown, i: number): unknown {
  if (typeof item !== "object" || item === null) return item;
  const key = ["type", "name"].find((field) => field in item);
  return key ? { ...item, [key]: `item-${i}` } : item;
}

describe.each(KINDS)("the status of a $resource.kind", ({ schema, resource }) => {
  const { logTail, ...rest } = full(schema.properties?.status ?? {}) as Record<string, unknown>;
  // A Backup, with its many volumes, shows as much of the log as there is room for.
  const status = resource.kind === "Backup" || logTail === undefined ? rest : { ...rest, logTail };

  test("stays below 16 KiB when everything is in it", () => {
    const bytes = Buffer.byteLength(JSON.stringify(status));
    expect(bytes).toBeGreaterThan(1024);
    expect(bytes).toBeLessThan(MAX_STATUS);
  });

  test("is one that the API server would take", () => {
    const statusSchema: Structural = {
      type: "object",
      properties: { status: schema.properties?.status ?? {} },
    };
    const { problems, unknown } = admit(statusSchema, { status });
    expect(problems.map(problemText)).toEqual([]);
    expect(unknown).toEqual([]);
  });
});
