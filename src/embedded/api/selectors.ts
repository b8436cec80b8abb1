import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { parseLabelSelector } from "./label_selector.ts";
import { badRequest } from "./refusal.ts";

export interface Selectors {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Whether an object of this kind is selected; undefined when everything is. Throws a Refusal. */
export function selection(
  selectors: Selectors,
  kind: Pick<KindInfo, "selectableFields" | "custom">,
): ((object: Stored) => boolean) | undefined {
  const { labelSelector, fieldSelector } = selectors;
  if (!labelSelector && !fieldSelector) return undefined;
  const byLabels = parseLabelSelector(labelSelector ?? "");
  const byFields = fieldMatcher(parseFieldSelector(fieldSelector ?? ""), kind);
  return (object) => byLabels(object.metadata.labels) && byFields(object);
}

/** One condition of a field selector; all of them must hold. */
export interface FieldTerm {
  readonly field: string;
  readonly op: "=" | "!=";
  readonly value: string;
}

// A backslash takes the character after it along.
const TERM = /(?:\\.|[^\\,])+/gs;
const PARTS = /^((?:\\.|(?!=|!=).)*?)(!=|==|=)(.*)$/s;
const UNIT = /\\(.?)|([\s\S])/g;

/** Throws a Refusal for a text that is no selector. */
export function parseFieldSelector(text: string): readonly FieldTerm[] {
  return (text.match(TERM) ?? []).map((term) => {
    const [, field, op, value] = PARTS.exec(term) ?? [];
    if (field === undefined || value === undefined) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    return { field, op: op === "!=" ? "!=" : "=", value: unescaped(value) };
  });
}

function unescaped(value: string): string {
  return value.replace(UNIT, (_, escaped: string | undefined, plain: string | undefined) => {
    if (plain === "=") throw badRequest("invalid field selector: unescaped character in value: 61");
    if (plain !== undefined) return plain;
    if (escaped === "\\" || escaped === "," || escaped === "=") return escaped;
    throw badRequest(`invalid field selector: invalid escape sequence: \\${escaped ?? ""}`);
  });
}

const COMMON: KindInfo["selectableFields"] = {
  "metadata.name": (object) => object.metadata.name,
  "metadata.namespace": (object) => object.metadata.namespace ?? "",
};

/** Whether an object of this kind is selected. Throws a Refusal for a field that the kind is not selected by. */
export function fieldMatcher(
  terms: readonly FieldTerm[],
  kind: Pick<KindInfo, "selectableFields" | "custom">,
): (object: Stored) => boolean {
  const conditions = terms.map(({ field, op, value }) => {
    const fields = Object.hasOwn(COMMON, field) ? COMMON : kind.selectableFields;
    const valueIn = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (!valueIn) throw badRequest(unknownField(field, kind));
    return (object: Stored) => (valueIn(object) === value) === (op === "=");
  });
  return (object) => conditions.every((holds) => holds(object));
}

/** The API server has other words for kinds that have no fields of their own to be selected by. */
function unknownField(field: string, kind: Pick<KindInfo, "selectableFields" | "custom">): string {
  if (kind.custom || Object.keys(kind.selectableFields).length > 0)
    return `field label not supported: ${field}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
