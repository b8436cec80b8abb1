import { Environment, type ParseResult } from "@marcbachmann/cel-js";
import { isRecord } from "../../lib/json.ts";
import { LruMap } from "../../lib/lru_map.ts";

const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  .registerVariable("object", "dyn")
  .registerVariable("oldObject", "dyn")
  .registerVariable("request", "dyn");

const programs = new LruMap<string, ParseResult>(256);

/** Whether all of a webhook's conditions hold. Throws what an evaluation throws. */
export function conditionsHold(
  conditions: readonly { readonly expression: string }[],
  request: Readonly<Record<string, unknown>>,
): boolean {
  if (conditions.length === 0) return true;
  const { object = null, oldObject = null } = request;
  const context = { object: toCel(object), oldObject: toCel(oldObject), request: toCel(request) };
  return conditions.every(({ expression }) => {
    const program = programs.get(expression) ?? environment.parse(expression);
    programs.set(expression, program);
    return program(context) === true;
  });
}

/** Whole numbers are 64-bit integers in CEL. */
function toCel(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toCel(item)]));
}
