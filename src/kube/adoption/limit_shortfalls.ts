import { jsonEqual } from "../../lib/json.ts";
import type { Structural } from "../schema/structural.ts";
import type { FieldUse } from "./field_use.ts";

const MOST = ["maximum", "maxLength", "maxItems", "maxProperties"] as const;
const LEAST = ["minimum", "minLength", "minItems", "minProperties"] as const;
/** Which of two is stricter cannot be told: what is there has to be the same. */
const SAME = [
  "pattern",
  "multipleOf",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
] as const;

/**
 * Where a schema refuses values that the one that this program was written for takes, each as a sentence. That matters
 * for what this program writes: the API server would refuse it each time.
 */
export function limitShortfalls(path: string, wanted: Structural, present: Structural): readonly string[] {
  const tighter = [
    ...MOST.filter((name) => (present[name] ?? Infinity) < (wanted[name] ?? Infinity)),
    ...LEAST.filter((name) => (present[name] ?? -Infinity) > (wanted[name] ?? -Infinity)),
    ...SAME.filter((name) => present[name] && !jsonEqual(wanted[name], present[name])).filter(
      // What these take is said twice, if it is.
      (name) => name !== "anyOf" || !present["x-kubernetes-int-or-string"],
    ),
  ];
  const known = new Set(wanted["x-kubernetes-validations"]?.map(({ rule }) => rule));
  return [
    ...tighter.map((name) => {
      const ours = wanted[name] === undefined ? "none" : JSON.stringify(wanted[name]);
      return `${path} has ${name} ${JSON.stringify(present[name])} instead of ${ours}`;
    }),
    ...(present["x-kubernetes-validations"] ?? [])
      .filter(({ rule }) => !known.has(rule))
      .map(({ rule, message }) => `${path} is held to the rule ${JSON.stringify(message ?? rule)} as well`),
  ];
}

/** Lists whose elements may be there twice in one of the two alone: in theirs though it is read, or in ours though it is written. */
export function listShortfalls(
  path: string,
  wanted: Structural,
  present: Structural,
  use: FieldUse,
): readonly string[] {
  const [ours, theirs] = [listType(wanted), listType(present)];
  const strict = [...(use.read ? [ours] : []), ...(use.written ? [theirs] : [])];
  return ours === theirs || strict.every((type) => type === "atomic")
    ? []
    : [`${path} is of list type ${theirs} instead of ${ours}`];
}

function listType(schema: Structural): string {
  const { "x-kubernetes-list-type": type = "atomic", "x-kubernetes-list-map-keys": keys = [] } = schema;
  return type === "map" ? `map by ${keys.toSorted().join(", ")}` : type;
}
