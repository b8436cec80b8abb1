/**
 * The lines of a stream of UTF-8 text, without their ends. One longer than `limit` bytes is cut there, and the rest
 * of it dropped. Default 16 MiB.
 */
export async function* lines(chunks: AsyncIterable<Uint8Array>, limit = 16 * 2 ** 20): AsyncIterable<string> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const keep = (part: Uint8Array) => {
    if (size < limit) parts.push(part.subarray(0, limit - size));
    size += part.length;
  };
  const take = () => {
    const line = Buffer.concat(parts).toString("utf8");
    parts = [];
    size = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (size > 0) yield take();
}

const NEWLINE = 0x0a;
