import { err, ok, type Result } from "../../lib/result.ts";

/** One of the five fields of a cron expression. */
export interface CronField {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** Where `H` stops: a day that every month has. Default: `high`. */
  readonly hashHigh?: number;
  /** Words for the values, from `low`. */
  readonly words?: readonly string[];
  /** Items of this field alone. */
  readonly special?: RegExp;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export const CRON_FIELDS: readonly CronField[] = [
  { name: "minute", low: 0, high: 59 },
  { name: "hour", low: 0, high: 23 },
  { name: "day of the month", low: 1, high: 31, hashHigh: 28, special: /^(L|LW|([1-9]|[12]\d|3[01])W)$/i },
  { name: "month", low: 1, high: 12, words: MONTHS },
  { name: "day of the week", low: 0, high: 6, words: WEEKDAYS, special: /^([0-7]|[a-z]{3})(#[1-5]|L)$/i },
];

const HASHED = /^H(?:\((\w+)-(\w+)\))?(?:\/(\d+))?$/i;
const STARRED = /^[*?](?:\/(\d+))?$/;
const VALUES = /^(\w+)(?:-(\w+))?(?:\/(\d+))?$/;

/**
 * A field with its `H` replaced and its items in the strictest spelling. `hash` is a whole number that stays the same
 * for the same schedule and field.
 */
export function expandField(field: CronField, text: string, hash: number): Result<string, string> {
  const items: string[] = [];
  for (const item of text.split(",")) {
    const expanded = expandItem(field, item, hash);
    if (!expanded.ok) return expanded;
    items.push(expanded.value);
  }
  return ok(items.join(","));
}

function expandItem(field: CronField, item: string, hash: number): Result<string, string> {
  const hashed = HASHED.exec(item);
  if (hashed) return expandHash(field, hashed, hash);
  const starred = STARRED.exec(item);
  if (starred) {
    if (starred[1] === undefined) return ok("*");
    return stepped(field, item, { low: field.low, high: field.high, step: Number(starred[1]) });
  }
  if (field.special?.test(item)) return expandSpecial(field, item);
  const values = VALUES.exec(item);
  if (values) return expandValues(field, item, values);
  return err(`${field.name} ${JSON.stringify(item)} is no value, range or step; write ${example(field)}`);
}

function expandHash(field: CronField, match: RegExpExecArray, hash: number): Result<string, string> {
  const [item, from, to, step] = match;
  const low = from === undefined ? ok(field.low) : readValue(field, from, item);
  if (!low.ok) return low;
  const high = to === undefined ? ok(field.hashHigh ?? field.high) : readValue(field, to, item, true);
  if (!high.ok) return high;
  const size = high.value - low.value + 1;
  if (size < 1) return backwards(field, item);
  if (step === undefined) return ok(String(low.value + (hash % size)));
  const every = Number(step);
  if (every < 1 || every > size) return badStep(field, item, size);
  return stepped(field, item, { low: low.value + (hash % every), high: high.value, step: every });
}

function expandSpecial(field: CronField, item: string): Result<string, string> {
  if (field.words === undefined) return ok(item.toUpperCase());
  const [, day = "", which = ""] = /^(\w+?)(#\d|L)$/i.exec(item) ?? [];
  const value = readValue(field, day, item);
  return value.ok ? ok(`${value.value}${which.toUpperCase()}`) : value;
}

function expandValues(field: CronField, item: string, match: RegExpExecArray): Result<string, string> {
  const [, from = "", to, step] = match;
  const low = readValue(field, from, item);
  if (!low.ok) return low;
  if ((to === undefined || to === from) && step === undefined) return ok(String(low.value));
  const high = to === undefined ? ok(field.high) : readValue(field, to, item, true);
  if (!high.ok) return high;
  if (low.value > high.value) return backwards(field, item);
  if (step === undefined) return ok(`${low.value}-${high.value}`);
  return stepped(field, item, { low: low.value, high: high.value, step: Number(step) });
}

/** A step that hits one value alone is that value: so a time of day stays one, however it is written. */
function stepped(
  field: CronField,
  item: string,
  range: { readonly low: number; readonly high: number; readonly step: number },
): Result<string, string> {
  const { low, high, step } = range;
  const size = field.high - field.low + 1;
  if (step < 1 || step > size) return badStep(field, item, size);
  return ok(low + step > high ? String(low) : `${low}-${high}/${step}`);
}

/** Sunday is 0 and 7; the latter only as the end of a range. */
function readValue(field: CronField, text: string, item: string, end = false): Result<number, string> {
  const isWeekday = field.words === WEEKDAYS;
  const word = field.words?.indexOf(text.toLowerCase()) ?? -1;
  const value = word < 0 ? (/^\d{1,4}$/.test(text) ? Number(text) : Number.NaN) : field.low + word;
  if (isWeekday && (value === 7 || (value === 0 && word === 0))) return ok(end ? 7 : 0);
  if (value >= field.low && value <= field.high) return ok(value);
  const where = text === item ? "" : ` in ${JSON.stringify(item)}`;
  return err(
    `${field.name} ${JSON.stringify(text)}${where} is outside of ${field.low}-${field.high}; write ${example(field)}`,
  );
}

function backwards(field: CronField, item: string): Result<string, string> {
  return err(
    `the range ${JSON.stringify(item)} of the ${field.name} ends before it begins; write it as two ranges with a comma between them`,
  );
}

function badStep(field: CronField, item: string, size: number): Result<string, string> {
  return err(
    `the step in ${JSON.stringify(item)} of the ${field.name} has to be from 1 to ${size}, because steps begin anew with each round; write a smaller one, or fewer of the next larger unit`,
  );
}

function example(field: CronField): string {
  const words = field.words ? `, a name such as ${field.words[1]?.toUpperCase()}` : "";
  return `a number from ${field.low} to ${field.high}${words}, a range such as ${field.low + 1}-${field.low + 3}, */2, or H`;
}
