import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./pages.ts";

interface ValuesSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ValuesSchema>>;
  readonly additionalProperties?: boolean | ValuesSchema;
  readonly definitions?: Readonly<Record<string, ValuesSchema>>;
}

const schema = JSON.parse(
  readFileSync(join(ROOT, "charts/holdfast/values.schema.json"), "utf8"),
) as ValuesSchema;

/** Whether the chart has this value, such as `webhook.certManager.enabled`. */
export function isChartValue(path: string): boolean {
  return has(schema, path.split("."));
}

function has(node: ValuesSchema, [name, ...rest]: readonly string[]): boolean {
  const { properties, additionalProperties, type } = meant(node);
  if (name === undefined) return true;
  const next = properties?.[name];
  if (next) return has(next, rest);
  return type === "object" && additionalProperties !== false;
}

function meant(node: ValuesSchema): ValuesSchema {
  const name = node.$ref?.replace("#/definitions/", "");
  return name === undefined ? node : (schema.definitions?.[name] ?? {});
}
