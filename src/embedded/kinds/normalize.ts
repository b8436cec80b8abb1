import type { Structural } from "../../kube/schema/structural.ts";
import { fieldSchema } from "../../kube/schema/structural.ts";
import { isRecord } from "../../lib/json.ts";
import { DecodingError } from "../api/decode.ts";
import { formatQuantity, parseQuantity } from "./quantity.ts";

/**
 * A value of a built-in kind in the one form that the API server writes: so with quantities and times, and without
 * maps and lists that are empty and not required.
 */
export function normalize(schema: Structural | undefined, value: unknown): unknown {
  if (!schema) return value;
  const write = WRITTEN[schema.title ?? ""];
  if (write && value !== null) return write(String(value));
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => normalize(items, item)) : value;
  }
  if (!isRecord(value)) return value;
  const fields: [string, unknown][] = [];
  for (const [name, child] of Object.entries(value)) {
    const type = fieldSchema(schema, name);
    const needed = KEPT_EMPTY.has(name) || schema.required?.includes(name);
    if (needed || !isEmptyCollection(type, child)) fields.push([name, normalize(type, child)]);
  }
  return Object.fromEntries(fields);
}

/** The rules of roles, of which none is as good as a list of none. */
const KEPT_EMPTY: ReadonlySet<string> = new Set(["rules"]);

function isEmptyCollection(schema: Structural | undefined, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  const isMap = schema?.additionalProperties !== undefined && schema.properties === undefined;
  return isMap && isRecord(value) && Object.keys(value).length === 0;
}

/** How each Go type is written. */
const WRITTEN: Readonly<Record<string, (text: string) => string>> = {
  Bytes: (wrapped) => {
    const text = wrapped.replaceAll(/[\r\n]/g, "");
    if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return text;
    const at = text.search(/[^A-Za-z0-9+/]/);
    const place = at < 0 ? Math.floor(text.length / 4) * 4 : at;
    throw new DecodingError(`illegal base64 data at input byte ${place}`);
  },
  Quantity: (text) => {
    const quantity = parseQuantity(text);
    if (quantity) return formatQuantity(quantity);
    throw new DecodingError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  },
  Time: (text) => new Date(text).toISOString().replace(/\.\d+Z$/, "Z"),
  MicroTime: (text) => {
    const [, digits, rest = ""] = /T\d\d:\d\d:\d\d(\.\d{6}(?!\d))?(.*)$/.exec(text) ?? [];
    if (digits !== undefined) return new Date(text).toISOString().replace(/\.\d+Z$/, `${digits}Z`);
    const layout = "2006-01-02T15:04:05.000000Z07:00";
    throw new DecodingError(`parsing time "${text}" as "${layout}": cannot parse "${rest}" as ".000000"`);
  },
};
