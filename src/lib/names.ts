import { fingerprint } from "./hash.ts";

/** The longest label value, and the longest name that may become one (Jobs, Services, pods' hostnames). */
export const MAX_NAME = 63;

/**
 * The one way to make an object's name: the parts joined by dashes, in what DNS allows. A name that had to be
 * cut or changed ends in a fingerprint of the joined text, so that two different texts do not meet. The parts
 * are not told apart: `("a-b", "c")` and `("a", "b-c")` are one text, and one name.
 */
export function objectName(...parts: readonly string[]): string {
  const wanted = parts.join("-");
  const clean = wanted
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (clean === wanted && clean.length > 0 && clean.length <= MAX_NAME) return clean;
  return withFingerprint(clean, wanted);
}

/** The parts joined by dashes, and a short fingerprint that tells them apart: `("a-b", "c")` is not `("a", "b-c")`. */
export function distinctName(...parts: readonly string[]): string {
  return objectName(...parts, fingerprint(JSON.stringify(parts), 5));
}

/** The one way to make a label value: the text itself where it is one, otherwise cut, with its fingerprint. */
export function labelValue(text: string): string {
  const clean = text.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  if (clean === text && text.length <= MAX_NAME) return text;
  return withFingerprint(clean, text);
}

/** The longest name of an object that is neither a label value nor a host's. */
const LONGEST_NAME = 253;

/** The name with the suffix, cut where both are too long, with its fingerprint. */
export function suffixed(name: string, suffix: string): string {
  const whole = `${name}${suffix}`;
  if (whole.length <= LONGEST_NAME) return whole;
  const mark = `-${fingerprint(name)}${suffix}`;
  return `${name.slice(0, LONGEST_NAME - mark.length).replace(/[^a-z0-9]+$/, "")}${mark}`;
}

function withFingerprint(clean: string, wanted: string): string {
  const mark = fingerprint(wanted);
  const head = clean.slice(0, MAX_NAME - mark.length - 1).replace(/[^A-Za-z0-9]+$/, "");
  return head === "" ? `x-${mark}` : `${head}-${mark}`;
}
