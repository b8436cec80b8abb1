const NEWLINE = 0x0a;

/** Bytes that came in pieces, as lines. What follows the last newline waits for its end. */
export class LineBuffer {
  #waiting: Uint8Array[] = [];

  /** The lines that end in this piece, without their ends. */
  *add(piece: Uint8Array): Iterable<Buffer> {
    const bytes = Buffer.isBuffer(piece)
      ? piece
      : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const tail = bytes.subarray(start, end);
      start = end + 1;
      yield this.#waiting.length === 0 ? tail : Buffer.concat([...this.#waiting.splice(0), tail]);
    }
    if (start < bytes.length) this.#waiting.push(bytes.subarray(start));
  }
}
