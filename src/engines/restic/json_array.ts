/**
 * The elements of one long JSON array of objects, parsed one by one as the bytes arrive, so that a repository with
 * many snapshots needs no buffer for all of them. Anything that is not inside an object is passed over.
 */
export async function* jsonArray(chunks: AsyncIterable<Uint8Array>): AsyncIterable<unknown> {
  let depth = 0;
  let inText = false;
  let escaped = false;
  let parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = depth > 0 ? 0 : -1;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (escaped) escaped = false;
      else if (inText) {
        if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
      } else if (byte === QUOTE) inText = depth > 0;
      else if (byte === OPEN) {
        if (depth === 0) start = i;
        depth += 1;
      } else if (byte === CLOSE && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        parts.push(chunk.subarray(start, i + 1));
        yield JSON.parse(Buffer.concat(parts).toString("utf8"));
        parts = [];
        start = -1;
      }
    }
    if (start >= 0) parts.push(chunk.subarray(start));
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
