import { error, type Finding } from "./finding.ts";
import type { Structural } from "./structural.ts";

/** What is wrong with the x-kubernetes-* keywords of one node, rules aside. */
export function checkExtensions(schema: Structural, path: string): readonly Finding[] {
  const findings: Finding[] = [];
  const bad = (name: string, message: string) =>
    findings.push(error(`${path}.x-kubernetes-${name}`, message));
  const { type, items } = schema;
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const preserve: unknown = schema["x-kubernetes-preserve-unknown-fields"];
  if (preserve !== undefined && preserve !== true) bad("preserve-unknown-fields", "must be true or left out");
  if (
    schema["x-kubernetes-int-or-string"] &&
    (type !== undefined || preserve || schema["x-kubernetes-embedded-resource"])
  ) {
    bad("int-or-string", "excludes a type, preserve-unknown-fields and embedded-resource");
  }
  if (schema["x-kubernetes-embedded-resource"]) {
    if (type !== "object") bad("embedded-resource", "is for objects alone");
    if (!preserve && !schema.properties)
      bad("embedded-resource", "needs properties or preserve-unknown-fields");
    if (schema.additionalProperties !== undefined) bad("embedded-resource", "excludes additionalProperties");
  }
  if (schema["x-kubernetes-map-type"] !== undefined && type !== "object")
    bad("map-type", "is for objects alone");
  if (listType !== undefined && type !== "array") bad("list-type", "is for arrays alone");
  if (keys.length > 0 && listType !== "map") bad("list-map-keys", "is for lists of type map alone");
  if (listType === "set") findings.push(...checkSetItems(items, path));
  if (listType === "map") findings.push(...checkListKeys(items, keys, path));
  return findings;
}

function checkSetItems(items: Structural | undefined, path: string): readonly Finding[] {
  const at = `${path}.items`;
  if (items?.nullable) return [error(`${at}.nullable`, "is forbidden for the items of a set")];
  if (items?.default !== undefined) return [error(`${at}.default`, "is forbidden for the items of a set")];
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [error(`${at}.x-kubernetes-map-type`, "must be atomic for the items of a set")];
  }
  if (items?.type === "array" && (items["x-kubernetes-list-type"] ?? "atomic") !== "atomic") {
    return [error(`${at}.x-kubernetes-list-type`, "must be atomic for the items of a set")];
  }
  return [];
}

function checkListKeys(
  items: Structural | undefined,
  keys: readonly string[],
  path: string,
): readonly Finding[] {
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) return [error(at, "is missing for a list of type map")];
  if (items?.type !== "object") return [error(`${path}.items.type`, "must be object for a list of type map")];
  const findings: Finding[] = [];
  if (new Set(keys).size < keys.length) findings.push(error(at, "names a key twice"));
  if (items.nullable)
    findings.push(error(`${path}.items.nullable`, "is forbidden for the items of a list with keys"));
  for (const key of keys) {
    const field = items.properties?.[key];
    if (!field) findings.push(error(at, `${key} is no field of the items`));
    else if (field.type === "object" || field.type === "array")
      findings.push(error(at, `${key} is not a scalar`));
    else if (field.nullable) findings.push(error(at, `${key} may not be nullable`));
    else if (!items.required?.includes(key) && field.default === undefined) {
      findings.push(error(at, `${key} must be required or have a default`));
    }
  }
  return findings;
}
