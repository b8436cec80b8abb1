export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Stands for a position: the text ended before the value did. */
export const CUT_OFF = -1;

/** The first position from `at` on that holds no white space. */
export function spaceEnd(json: Uint8Array, at: number): number {
  let end = at;
  while (end < json.length && (json[end] as number) <= SPACE) end++;
  return end;
}

/** The position after the string that opens at `at`. */
export function stringEnd(json: Uint8Array, at: number): number {
  const { length } = json;
  for (let i = at + 1; i < length; i++) {
    const byte = json[i];
    if (byte === QUOTE) return i + 1;
    if (byte === BACKSLASH) i++;
  }
  return CUT_OFF;
}

/** The position after the value that begins at `at`. Of what is in it only the nesting is looked at. */
export function valueEnd(json: Uint8Array, at: number): number {
  const first = json[at];
  if (first === QUOTE) return stringEnd(json, at);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return nestedEnd(json, at);
  let end = at;
  while (end < json.length && !ENDS_WORD.has(json[end] as number)) end++;
  return end;
}

const ENDS_WORD = new Set([COMMA, CLOSE_OBJECT, CLOSE_LIST, 0x20, 0x09, 0x0a, 0x0d]);

/** This loop is where the time goes: it sees every byte that nobody reads. */
function nestedEnd(json: Uint8Array, open: number): number {
  const { length } = json;
  let depth = 0;
  let at = open;
  while (at < length) {
    const byte = json[at++] as number;
    if (byte === QUOTE) {
      for (;;) {
        if (at >= length) return CUT_OFF;
        const inString = json[at++] as number;
        if (inString === QUOTE) break;
        if (inString === BACKSLASH) at++;
      }
    } else if (byte >= OPEN_LIST) {
      // Brackets and braces differ in one bit, and so do those that open from those that close.
      const bracket = byte | 0x20;
      if (bracket === OPEN_OBJECT) depth++;
      else if (bracket === CLOSE_OBJECT && --depth === 0) return at;
    }
  }
  return CUT_OFF;
}
