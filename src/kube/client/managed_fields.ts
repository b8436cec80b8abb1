const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const FIELD = ',"managedFields":[{"';
/** Every entry says this; nothing else that happens to have the field's name does. */
const MARK = '"fieldsType":"FieldsV1"';

/**
 * The JSON of an object or a list without its managed fields. They are half of what the API server sends and three
 * quarters of the time to parse it, and no controller reads them: cutting them out of the text costs little.
 */
export function withoutManagedFields(json: string): string {
  let kept = "";
  let from = 0;
  for (let at = json.indexOf(FIELD); at >= 0; at = json.indexOf(FIELD, at + 1)) {
    const end = endOfList(json, at + FIELD.length - 3);
    if (end < 0) break;
    const mark = json.indexOf(MARK, at);
    if (mark < 0) break;
    if (mark > end) continue;
    kept += json.slice(from, at);
    from = end + 1;
    at = end;
  }
  return from === 0 ? json : kept + json.slice(from);
}

/** Where the list that opens at `start` closes, or -1. */
function endOfList(json: string, start: number): number {
  let depth = 0;
  for (let i = start; i < json.length; i++) {
    const char = json.charCodeAt(i);
    if (char === QUOTE) {
      i = endOfString(json, i);
      if (i < 0) return -1;
    } else if (char === OPEN_BRACKET) depth++;
    else if (char === CLOSE_BRACKET && --depth === 0) return i;
  }
  return -1;
}

function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}
