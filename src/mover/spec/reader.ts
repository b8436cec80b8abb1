import { isRecord } from "../../lib/json.ts";
import { BadWork } from "./bad_work.ts";

/** Reads one value of a work spec. `at` is its place there, for the sentence that a refusal says. */
export type Reader<T> = (value: unknown, at: string) => T;

export interface Optional<T> {
  readonly optional: Reader<T>;
}

/** A reader for every field that T has: one that is forgotten does not compile. */
export type Fields<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Optional<T[K]> : Reader<T[K]>;
};

export const optional = <T>(reader: Reader<T>): Optional<T> => ({ optional: reader });

/** An object with these fields and no others. */
export function object<T>(fields: Fields<T>): Reader<T> {
  const readers = Object.entries(fields) as readonly [string, Reader<unknown> | Optional<unknown>][];
  return (value, at) => {
    if (!isRecord(value)) throw refusal(at, "must be an object", value);
    const stranger = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
    if (stranger !== undefined) throw new BadWork(`${at} has the unknown field ${stranger}`);
    const found = readers.flatMap(([key, reader]) => {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      if (typeof reader === "function") {
        if (given === undefined) throw new BadWork(`${at} lacks the field ${key}`);
        return [[key, reader(given, `${at}.${key}`)] as const];
      }
      return given === undefined ? [] : [[key, reader.optional(given, `${at}.${key}`)] as const];
    });
    return Object.fromEntries(found) as T;
  };
}

type KeysOf<Union> = Union extends unknown ? keyof Union : never;
type ValueOf<Union, Key extends PropertyKey> =
  Union extends Readonly<Record<Key, infer Value>> ? Value : never;

/** An object with exactly one of these keys, which says what it is. */
export function tagged<Union>(
  readers: {
    readonly [K in KeysOf<Union>]: Reader<ValueOf<Union, K>>;
  },
): Reader<Union> {
  const known = Object.keys(readers);
  return (value, at) => {
    if (!isRecord(value)) throw refusal(at, "must be an object", value);
    const keys = Object.keys(value);
    const stranger = keys.find((key) => !Object.hasOwn(readers, key));
    if (stranger !== undefined)
      throw new BadWork(`${at} names the unknown ${stranger}; there are ${known.join(", ")}`);
    const [key, second] = keys;
    if (key === undefined) throw new BadWork(`${at} is empty; set one of ${known.join(", ")}`);
    if (second !== undefined) throw new BadWork(`${at} names both ${key} and ${second}; set one of them`);
    const reader = readers[key as KeysOf<Union>] as Reader<unknown>;
    return { [key]: reader(value[key], `${at}.${key}`) } as Union;
  };
}

export function list<T>(reader: Reader<T>, { min = 0, max = 10_000 } = {}): Reader<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw refusal(at, "must be a list", value);
    if (value.length < min || value.length > max)
      throw new BadWork(`${at} must have ${min} to ${max} items, and has ${value.length}`);
    return value.map((item, i) => reader(item, `${at}[${i}]`));
  };
}

/** Texts by name. */
export const texts: Reader<Readonly<Record<string, string>>> = (value, at) => {
  if (!isRecord(value)) throw refusal(at, "must be an object", value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, anyText(item, `${at}.${key}`)]));
};

const LONGEST_TEXT = 64 * 1024;

/** A text that may be empty. */
export const anyText: Reader<string> = (value, at) => {
  if (typeof value !== "string") throw refusal(at, "must be a text", value);
  if (value.length > LONGEST_TEXT) throw new BadWork(`${at} is longer than ${LONGEST_TEXT} characters`);
  if (value.includes("\0")) throw new BadWork(`${at} has a zero byte in it`);
  return value;
};

export const text: Reader<string> = (value, at) => {
  if (anyText(value, at) === "") throw new BadWork(`${at} is empty`);
  return value as string;
};

export const flag: Reader<boolean> = (value, at) => {
  if (typeof value !== "boolean") throw refusal(at, "must be true or false", value);
  return value;
};

export function whole(min: number, max = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (value, at) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max)
      return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw refusal(at, `must be a whole number ${range}`, value);
  };
}

export const percent: Reader<number> = (value, at) => {
  if (typeof value === "number" && value >= 0 && value <= 100) return value;
  throw refusal(at, "must be a number from 0 to 100", value);
};

export function oneOf<const T extends string>(...known: readonly T[]): Reader<T> {
  return (value, at) => {
    const found = known.find((name) => name === value);
    if (found === undefined) throw refusal(at, `must be one of ${known.join(", ")}`, value);
    return found;
  };
}

export const absolutePath: Reader<string> = (value, at) => {
  const path = text(value, at);
  if (!path.startsWith("/")) throw refusal(at, "must be an absolute path", value);
  if (path.split("/").includes("..")) throw refusal(at, "must not lead upwards", value);
  return path;
};

/** A path below a snapshot's root. */
export const pathWithin: Reader<string> = (value, at) => {
  const path = anyText(value, at);
  if (path.startsWith("/")) throw refusal(at, "must be relative to the snapshot's root", value);
  if (path.split("/").includes("..")) throw refusal(at, "must not lead upwards", value);
  return path;
};

function refusal(at: string, rule: string, value: unknown): BadWork {
  const shown = JSON.stringify(value) ?? "nothing";
  return new BadWork(`${at} ${rule}, and is ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown}`);
}
