import { type Json, jsonEqual } from "../../lib/json.ts";
import { META_FIELDS, type Structural } from "../schema/structural.ts";
import type { FieldUse } from "./field_use.ts";
import { limitShortfalls, listShortfalls } from "./limit_shortfalls.ts";

export interface SchemaLook {
  /** This program creates such objects itself, and so runs into what their spec and name are held to. */
  readonly created?: boolean;
}

/**
 * What a schema lacks of the one that this program was written for, each as a sentence about a field. It may well have
 * more. Compared is what code relies on: that a field is kept, has its type, its values, its default, its rules, and is
 * there where it has to be; and that what is written is not held to tighter limits, or to more rules. What only people
 * write may be. The object as a whole is written with each status.
 */
export function schemaShortfalls(
  wanted: Structural,
  present: Structural,
  { created = false }: SchemaLook = {},
): readonly string[] {
  const { properties = {} } = present;
  return [
    ...limitShortfalls("the object", wanted, present),
    ...ruleShortfalls("the object", wanted, present),
    ...requiredShortfalls("", wanted, present, { read: true, written: true }),
    ...(created ? limitShortfalls("metadata.name", nameOf(wanted), nameOf(present)) : []),
    ...Object.entries(wanted.properties ?? {})
      .filter(([name]) => !META_FIELDS.has(name))
      .flatMap(([name, field]) => nodeShortfalls(name, field, properties[name], useOf(name, created))),
  ];
}

const useOf = (field: string, created: boolean): FieldUse =>
  field === "status" ? { read: false, written: true } : { read: true, written: created };

const nameOf = ({ properties = {} }: Structural): Structural => properties.metadata?.properties?.name ?? {};

function nodeShortfalls(
  path: string,
  wanted: Structural,
  present: Structural | undefined,
  use: FieldUse,
): readonly string[] {
  if (present === undefined) return [`${path} is missing`];
  const limits = use.written ? limitShortfalls(path, wanted, present) : [];
  if (!use.read && keepsAnything(present, wanted.type)) return limits;
  const [type, other] = [typeOf(wanted), typeOf(present)];
  if (type !== other) return [`${path} is of type ${other} instead of ${type}`];
  return [
    ...valueShortfalls(path, wanted, present, use),
    ...limits,
    ...listShortfalls(path, wanted, present, use),
    ...ruleShortfalls(path, wanted, present),
    ...requiredShortfalls(`${path}.`, wanted, present, use),
    ...fieldShortfalls(path, wanted, present, use),
    ...elementShortfalls(`${path}[]`, wanted.items, present.items, use),
    ...elementShortfalls(`${path}.*`, mapped(wanted), mapped(present), use),
  ];
}

function fieldShortfalls(
  path: string,
  wanted: Structural,
  present: Structural,
  use: FieldUse,
): readonly string[] {
  const unknownKept = present["x-kubernetes-preserve-unknown-fields"] === true;
  const dropped =
    wanted["x-kubernetes-preserve-unknown-fields"] && !unknownKept
      ? [`${path} does not keep fields that it does not know`]
      : [];
  const { properties = {} } = present;
  return [
    ...dropped,
    ...Object.entries(wanted.properties ?? {}).flatMap(([name, field]) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (own === undefined && unknownKept && !use.read) return [];
      return nodeShortfalls(`${path}.${name}`, field, own, use);
    }),
  ];
}

function elementShortfalls(
  path: string,
  wanted: Structural | undefined,
  present: Structural | undefined,
  use: FieldUse,
): readonly string[] {
  return wanted === undefined ? [] : nodeShortfalls(path, wanted, present, use);
}

function valueShortfalls(
  path: string,
  wanted: Structural,
  present: Structural,
  use: FieldUse,
): readonly string[] {
  const [ours, theirs] = [wanted.enum, present.enum];
  const refused = theirs ? (ours ?? []).filter((value) => !includes(theirs, value)) : [];
  const unknown = ours ? (theirs ?? []).filter((value) => !includes(ours, value)) : [];
  return [
    ...(jsonEqual(wanted.default, present.default)
      ? []
      : [`${path} has ${defaultText(present)} instead of ${defaultText(wanted)}`]),
    ...(wanted.nullable && !present.nullable ? [`${path} may not be null`] : []),
    // No default takes the place of a null that is allowed.
    ...(use.read && present.nullable && !wanted.nullable ? [`${path} may be null`] : []),
    ...refused.map((value) => `${path} may not be ${JSON.stringify(value)}`),
    ...unknown.map((value) => `${path} may be ${JSON.stringify(value)}, which nobody here knows`),
    ...(ours && !theirs ? [`${path} may be anything instead of ${JSON.stringify(ours)}`] : []),
    ...(theirs && !ours ? [`${path} may be nothing but ${JSON.stringify(theirs)}`] : []),
  ];
}

function ruleShortfalls(path: string, wanted: Structural, present: Structural): readonly string[] {
  const there = new Set(present["x-kubernetes-validations"]?.map(({ rule }) => rule));
  return (wanted["x-kubernetes-validations"] ?? [])
    .filter(({ rule }) => !there.has(rule))
    .map(({ rule, message }) => `${path} is not held to the rule ${JSON.stringify(message ?? rule)}`);
}

function requiredShortfalls(
  prefix: string,
  { required: ours = [] }: Structural,
  { required: theirs = [] }: Structural,
  use: FieldUse,
): readonly string[] {
  return [
    ...ours
      .filter((name) => use.read && !theirs.includes(name))
      .map((name) => `${prefix}${name} may be left out`),
    ...theirs.filter((name) => !ours.includes(name)).map((name) => `${prefix}${name} has to be there`),
  ];
}

function mapped({ additionalProperties: values }: Structural): Structural | undefined {
  return values === true ? ANYTHING : values;
}

const ANYTHING: Structural = { "x-kubernetes-preserve-unknown-fields": true };

/** Whether whatever of this type is written here is kept as it is. */
function keepsAnything(schema: Structural, type: Structural["type"]): boolean {
  const kept = schema["x-kubernetes-preserve-unknown-fields"] === true && schema.properties === undefined;
  return kept && (schema.type === undefined || schema.type === type);
}

function typeOf(schema: Structural): string {
  if (schema["x-kubernetes-int-or-string"]) return "integer or string";
  return schema.type ?? "any";
}

function defaultText({ default: value }: Structural): string {
  return value === undefined ? "no default" : `the default ${JSON.stringify(value)}`;
}

const includes = (values: readonly Json[], value: Json) => values.some((one) => jsonEqual(one, value));
