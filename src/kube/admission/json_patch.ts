import { isRecord } from "../../lib/json.ts";
import type { JsonPatch } from "../client.ts";

/**
 * The JSON Patch (RFC 6902) that turns one JSON value into another; empty when they are equal. A key that is
 * undefined counts as absent, as it does when the value is written. Lists are compared place by place.
 */
export function jsonPatch(from: unknown, to: unknown): JsonPatch {
  return differences(from, to, "");
}

type Operation = JsonPatch[number];

function differences(from: unknown, to: unknown, path: string): Operation[] {
  if (from === to) return [];
  if (Array.isArray(from) && Array.isArray(to)) return listDifferences(from, to, path);
  if (isRecord(from) && isRecord(to)) return recordDifferences(from, to, path);
  return [{ op: "replace", path, value: to }];
}

function recordDifferences(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
  path: string,
): Operation[] {
  const operations: Operation[] = [];
  for (const key of Object.keys(from)) {
    if (has(from, key) && !has(to, key)) operations.push({ op: "remove", path: `${path}/${escaped(key)}` });
  }
  for (const key of Object.keys(to)) {
    if (!has(to, key)) continue;
    const at = `${path}/${escaped(key)}`;
    if (has(from, key)) operations.push(...differences(from[key], to[key], at));
    else operations.push({ op: "add", path: at, value: to[key] });
  }
  return operations;
}

function listDifferences(from: readonly unknown[], to: readonly unknown[], path: string): Operation[] {
  const shared = Math.min(from.length, to.length);
  const operations: Operation[] = [];
  for (let i = from.length - 1; i >= shared; i--) operations.push({ op: "remove", path: `${path}/${i}` });
  for (let i = 0; i < shared; i++) operations.push(...differences(from[i], to[i] ?? null, `${path}/${i}`));
  for (let i = shared; i < to.length; i++) {
    operations.push({ op: "add", path: `${path}/${i}`, value: to[i] ?? null });
  }
  return operations;
}

function has(record: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(record, key) && record[key] !== undefined;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
