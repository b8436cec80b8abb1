const NEWLINE = 0x0a;

/** Bytes that came in pieces, as lines. What follows the last newline waits for its end. */
export class LineBuffer {
  #waiting: Uint8Array[] = [];

  /** The lines that end in this piece, without their ends. */
  *add(piece: Uint8Array): Iterable<Buffer> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const tail = piece.subarray(start, end);
      start = end + 1;
      yield this.#waiting.length === 0 ? bufferOf(tail) : Buffer.concat([...this.#waiting.splice(0), tail]);
    }
    if (start < piece.length) this.#waiting.push(piece.subarray(start));
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
