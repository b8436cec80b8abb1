import { EngineError } from "../wire/engine_error.ts";

/**
 * The objects in a stream of JSON, parsed one by one as the bytes arrive, so that a repository with many snapshots, or
 * a folder with many files, needs no buffer for all of them. Those at the top, or with `depth` those that are inside so
 * many others. What is not inside an object is passed over, and so is a brace that begins none. Throws for an object
 * that cannot be read, or is cut off: whoever deletes what is not in a list must not take a part of it for the whole.
 */
export async function* jsonObjects(chunks: AsyncIterable<Uint8Array>, depth = 0): AsyncIterable<unknown> {
  let inside = 0;
  let begun = false;
  let inText = false;
  let escaped = false;
  let parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = inside > depth ? 0 : -1;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (begun && !isBlank(byte)) {
        begun = false;
        // Of what is in it, nothing but a name can come first.
        if (byte !== QUOTE && byte !== CLOSE) {
          inside = 0;
          parts = [];
          start = -1;
        }
      }
      if (escaped) escaped = false;
      else if (inText) {
        if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
      } else if (byte === QUOTE) inText = inside > 0;
      else if (byte === OPEN) {
        if (inside === depth) start = i;
        if (inside === 0) begun = true;
        inside += 1;
      } else if (byte === CLOSE && inside > 0) {
        inside -= 1;
        if (inside !== depth) continue;
        parts.push(chunk.subarray(start, i + 1));
        yield parsed(Buffer.concat(parts).toString("utf8"));
        parts = [];
        start = -1;
      }
    }
    if (start >= 0) parts.push(chunk.subarray(start));
  }
  if (inside > 0 && !begun) throw unreadable("it ends within an object");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable("an object in it is no JSON", cause);
  }
}

function unreadable(why: string, cause?: unknown): EngineError {
  return new EngineError("EngineFailed", `what the engine printed cannot be read: ${why}`, { cause });
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
