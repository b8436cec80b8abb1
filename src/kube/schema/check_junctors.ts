import { jsonEqual } from "../../lib/json.ts";
import { error, type Finding } from "./finding.ts";
import type { Structural } from "./structural.ts";

const JUNCTORS = ["allOf", "anyOf", "oneOf", "not"] as const;

/** What may not stand inside a junctor, where the value has its shape already. */
const SHAPING = [
  "type",
  "default",
  "title",
  "description",
  "nullable",
  "additionalProperties",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
] as const;

/**
 * What is wrong with the alternatives of one node: they may check a value, never shape it. `shape` is the
 * structure outside of them all.
 */
export function checkJunctors(
  schema: Structural,
  path: string,
  shape: Structural = schema,
): readonly Finding[] {
  return JUNCTORS.flatMap((name) => {
    const value = schema[name];
    const members: readonly Structural[] = value === undefined ? [] : "length" in value ? value : [value];
    if (name === "anyOf" && jsonEqual(members, [{ type: "integer" }, { type: "string" }])) {
      return shape["x-kubernetes-int-or-string"]
        ? []
        : [error(`${path}.anyOf`, "needs x-kubernetes-int-or-string")];
    }
    return members.flatMap((member, i) => checkMember(member, shape, `${path}.${name}[${i}]`));
  });
}

function checkMember(member: Structural, shape: Structural, path: string): readonly Finding[] {
  const findings = SHAPING.filter((keyword) => member[keyword] !== undefined).map((keyword) =>
    error(`${path}.${keyword}`, "is forbidden inside allOf, anyOf, oneOf and not"),
  );
  const below: (readonly [string, Structural, Structural | undefined])[] = [];
  for (const [name, child] of Object.entries(member.properties ?? {})) {
    below.push([`${path}.properties[${name}]`, child, shape.properties?.[name]]);
  }
  if (member.items) below.push([`${path}.items`, member.items, shape.items]);
  for (const [at, child, outer] of below) {
    if (outer) findings.push(...checkMember(child, outer, at));
    else findings.push(error(at, "must be described outside of it too"));
  }
  return [...findings, ...checkJunctors(member, path, shape)];
}
