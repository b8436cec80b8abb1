import { sha256 } from "../../lib/hash.ts";
import { isRecord, jsonEqual } from "../../lib/json.ts";
import { keyCount, sizeOf } from "./template_sizes.ts";

/** Why a template cannot be rendered, in a clause. */
export class TemplateFailure extends Error {
  override name = "TemplateFailure";
}

/** Stands for a value that is not there, by the words that asked for it. */
export class Missing {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** Texts that functions make are bounded by this. */
const LONGEST = 262_144;

type Args = readonly unknown[];
type TemplateFunction = (...args: unknown[]) => unknown;

/** Functions that also take what is missing. */
const LENIENT: Readonly<Record<string, TemplateFunction>> = {
  default(fallback, value) {
    return truth(value) ? value : fallback;
  },
  coalesce: (...values) => values.find(truth) ?? values.at(-1),
  and: (...values) => values.find((value) => !truth(value)) ?? values.at(-1),
  or: (...values) => values.find(truth) ?? values.at(-1),
  not: (value) => !truth(value),
  empty: (value) => !truth(value),
  ternary: (yes, no, choice) => (truth(choice) ? yes : no),
  required: (message, value) => {
    if (truth(value)) return value;
    throw new TemplateFailure(textOf(message));
  },
};

const STRICT: Readonly<Record<string, TemplateFunction>> = {
  quote: (value) => JSON.stringify(bounded(textOf(value))),
  squote: (value) => `'${textOf(value)}'`,
  lower: (value) => textOf(value).toLowerCase(),
  upper: (value) => textOf(value).toUpperCase(),
  title: (value) => textOf(value).replace(/\b\w/g, (letter) => letter.toUpperCase()),
  trim: (value) => textOf(value).trim(),
  trimPrefix: (prefix, value) => {
    const text = textOf(value);
    return text.startsWith(textOf(prefix)) ? text.slice(textOf(prefix).length) : text;
  },
  trimSuffix: (suffix, value) => {
    const text = textOf(value);
    const end = textOf(suffix);
    return end !== "" && text.endsWith(end) ? text.slice(0, -end.length) : text;
  },
  replace: (from, to, value) => replaced(textOf(value), textOf(from), textOf(to)),
  trunc: (length, value) => {
    const most = numberOf(length);
    return most < 0 ? textOf(value).slice(most) : textOf(value).slice(0, most);
  },
  contains: (part, value) => textOf(value).includes(textOf(part)),
  hasPrefix: (prefix, value) => textOf(value).startsWith(textOf(prefix)),
  hasSuffix: (suffix, value) => textOf(value).endsWith(textOf(suffix)),
  split: (separator, value) => textOf(value).split(textOf(separator)),
  splitList: (separator, value) => textOf(value).split(textOf(separator)),
  join: (separator, value) => joined(listOf(value).map(textOf), textOf(separator)),
  indent: (count, value) => indented(numberOf(count), textOf(value)),
  nindent: (count, value) => `\n${indented(numberOf(count), textOf(value))}`,
  b64enc: (value) => Buffer.from(textOf(value)).toString("base64"),
  b64dec: (value) => Buffer.from(textOf(value), "base64").toString("utf8"),
  sha256sum: (value) => sha256(textOf(value)),
  toString: (value: unknown) => textOf(value),
  toJson: (value) => JSON.stringify(value),
  int: (value) => Math.trunc(numberOf(value)),
  add: (...values) => values.map(numberOf).reduce((sum, value) => sum + value, 0),
  sub: (from, value) => numberOf(from) - numberOf(value),
  mul: (...values) => values.map(numberOf).reduce((product, value) => product * value, 1),
  len: (value) => lengthOf(value),
  first: (value) => listOf(value)[0],
  last: (value) => listOf(value).at(-1),
  list: (...values) => values,
  index: (value, ...keys) => keys.reduce(itemOf, value),
  hasKey: (value, key) => isRecord(value) && Object.hasOwn(value, textOf(key)),
  get: (value, key) => (isRecord(value) && Object.hasOwn(value, textOf(key)) ? value[textOf(key)] : ""),
  eq: (first, ...others) => others.some((other) => jsonEqual(first, other)),
  ne: (first, second) => !jsonEqual(first, second),
  lt: (first, second) => compared(first, second) < 0,
  le: (first, second) => compared(first, second) <= 0,
  gt: (first, second) => compared(first, second) > 0,
  ge: (first, second) => compared(first, second) >= 0,
  printf: (format, ...values) => formatted(textOf(format), values),
  print: (...values) => joined(values.map(textOf), ""),
};

/** Every function that a template may call. */
export const TEMPLATE_FUNCTIONS: readonly string[] = [...Object.keys(LENIENT), ...Object.keys(STRICT)].sort();

/**
 * The first so many arguments of these are looked at without reading what is in them: none of their cost depends on how
 * large they are. Those of the lenient ones never are.
 */
const UNREAD: Readonly<Record<string, number>> = {
  len: 1,
  first: 1,
  last: 1,
  index: 1,
  hasKey: 1,
  get: 1,
  list: Number.POSITIVE_INFINITY,
};

/** How many characters a function reads of what it is handed. */
export function charactersRead(name: string, args: Args): number {
  if (Object.hasOwn(LENIENT, name)) return 0;
  const read = Object.hasOwn(UNREAD, name) ? args.slice(UNREAD[name]) : args;
  return read.reduce<number>((sum, value) => sum + sizeOf(value), 0);
}

export function callFunction(name: string, args: Args, missing: (value: Missing) => Error): unknown {
  if (Object.hasOwn(LENIENT, name)) return LENIENT[name]?.(...args);
  const called = Object.hasOwn(STRICT, name) ? STRICT[name] : undefined;
  if (!called) throw new TemplateFailure(`the function ${name} is unknown`);
  for (const arg of args) if (arg instanceof Missing) throw missing(arg);
  try {
    const made = called(...args);
    return typeof made === "string" && !Object.hasOwn(UNREAD, name) ? bounded(made) : made;
  } catch (error) {
    if (error instanceof TemplateFailure) throw error;
    throw new TemplateFailure(`${name} cannot be used with these values`);
  }
}

/** As Go's templates have it: empty values are not true. */
export function truth(value: unknown): boolean {
  if (value instanceof Missing || value === null || value === undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return keyCount(value) > 0;
  return value !== false && value !== 0 && value !== "";
}

/** How a value stands in a text. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (value instanceof Missing) throw new TemplateFailure(`{{ ${value.source} }} has no value`);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function numberOf(value: unknown): number {
  const number = typeof value === "number" ? value : Number(textOf(value));
  if (!Number.isFinite(number)) throw new TemplateFailure(`${JSON.stringify(value)} is no number`);
  return number;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TemplateFailure(`${textOf(value).slice(0, 40)} is no list`);
  return value;
}

function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? keyCount(value) : textOf(value).length;
}

function itemOf(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) {
    const item: unknown = value[numberOf(key)];
    if (item === undefined) throw new TemplateFailure(`index ${textOf(key)} is out of range`);
    return item;
  }
  if (isRecord(value) && Object.hasOwn(value, textOf(key))) return value[textOf(key)];
  return new Missing(`index … ${JSON.stringify(key)}`);
}

function compared(first: unknown, second: unknown): number {
  if (typeof first === "number" && typeof second === "number") return first - second;
  const [a, b] = [textOf(first), textOf(second)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function indented(count: number, text: string): string {
  if (count < 0 || count > 256) throw new TemplateFailure("an indent is between 0 and 256");
  const pad = " ".repeat(count);
  return `${pad}${replaced(text, "\n", `\n${pad}`)}`;
}

function replaced(text: string, from: string, to: string): string {
  const times = from === "" ? text.length + 1 : text.split(from).length - 1;
  fits(text.length + times * (to.length - from.length));
  return text.replaceAll(from, () => to);
}

function joined(parts: readonly string[], separator: string): string {
  fits(parts.reduce((sum, part) => sum + part.length + separator.length, -separator.length));
  return parts.join(separator);
}

function bounded(text: string): string {
  fits(text.length);
  return text;
}

/** Before a text is made, where it may become many times as long as what it is made of. */
function fits(length: number): void {
  if (length > LONGEST) throw new TemplateFailure(`a value is longer than ${LONGEST} characters`);
}

function formatted(format: string, values: Args): string {
  let next = 0;
  let length = 0;
  return format.replace(/%(%|0?\d*[svdqt])/g, (verb, rest: string) => {
    if (rest === "%") return "%";
    const value = values[next++];
    const [, pad = "", kind = "s"] = /^(0?\d*)([svdqt])$/.exec(rest) ?? [];
    if (Number(pad) > 256) throw new TemplateFailure(`${verb} is too wide`);
    const text =
      kind === "q" ? JSON.stringify(textOf(value)) : kind === "d" ? String(numberOf(value)) : textOf(value);
    const padded = text.padStart(Number(pad), pad.startsWith("0") ? "0" : " ");
    length += padded.length;
    fits(length);
    return padded;
  });
}
