import { messageOf } from "../../lib/result.ts";

const compiled = new Map<string, RegExp | undefined>();

/**
 * A schema's pattern as a regular expression of this language; undefined when it is none. The API server
 * reads RE2: flags at its start are understood here, the few other differences are for the checker.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
  return compiled.get(pattern);
}

function compile(pattern: string): RegExp | undefined {
  const [, flags = "", body = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  for (const mode of ["u", ""]) {
    try {
      return new RegExp(body, flags + mode);
    } catch {
      // Escapes that RE2 allows and unicode mode refuses: the older mode takes them.
    }
  }
  return undefined;
}

/** Why RE2 would refuse a pattern, or read it differently; undefined when both agree. */
export function patternTrouble(pattern: string): string | undefined {
  if (/\(\?(?:=|!|<=|<!)/.test(pattern)) return "look-around is not part of RE2";
  if (/\\[1-9]|\\k</.test(pattern)) return "back-references are not part of RE2";
  for (const [, least, most] of pattern.matchAll(/\{(\d+),?(\d*)\}/g)) {
    if (Number(least) > 1000 || Number(most) > 1000) return "RE2 repeats at most 1000 times";
  }
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    return messageOf(error);
  }
  return undefined;
}
