const NEWLINE = 0x0a;

/** Lines of the head, and all of them together, are refused beyond this. */
const HEAD_LIMIT = 64 * 2 ** 10;

export interface ResponseHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

type Part =
  | "status line"
  | "header"
  | "chunk size"
  | "chunk"
  | "end of chunk"
  | "trailer"
  | "known length"
  | "until the end"
  | "nothing";

/** Reads one HTTP/1.1 response to a GET out of the bytes of a connection. Throws on what is none. */
export class ResponseDecoder {
  readonly #body = new ByteQueue();
  #part: Part = "status line";
  #line = "";
  #status = 0;
  #headers = new Map<string, string>();
  #head: ResponseHead | undefined;
  #headSize = 0;
  /** Bytes to come of the chunk, or of a body of known length. */
  #left = 0;

  /** Undefined until its last line has come. */
  get head(): ResponseHead | undefined {
    return this.#head;
  }

  get isComplete(): boolean {
    return this.#part === "nothing";
  }

  /** The rest of a chunk is under way. */
  get isWithinChunk(): boolean {
    return this.#part === "chunk" || this.#part === "end of chunk";
  }

  /** Bytes of the body that were not taken yet. */
  get waiting(): number {
    return this.#body.size;
  }

  /** What has come of the body since the last time; when that is much, the first part of it. */
  take(): Buffer {
    return this.#body.take();
  }

  /** The connection has ended. Returns whether the response was complete. */
  end(): boolean {
    if (this.#part === "until the end") this.#part = "nothing";
    return this.isComplete;
  }

  add(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#part !== "nothing") {
      at = this.#isBody ? this.#addBody(bytes, at) : this.#addLine(bytes, at);
    }
  }

  get #isBody(): boolean {
    return this.#part === "chunk" || this.#part === "known length" || this.#part === "until the end";
  }

  #addBody(bytes: Buffer, at: number): number {
    const end = this.#part === "until the end" ? bytes.length : Math.min(bytes.length, at + this.#left);
    this.#body.add(bytes, at, end);
    this.#left -= end - at;
    if (this.#left === 0) this.#part = this.#part === "chunk" ? "end of chunk" : "nothing";
    return end;
  }

  #addLine(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    this.#line += bytes.toString("latin1", at, end);
    if (this.#line.length > HEAD_LIMIT) throw new Error(`a ${this.#part} is too long`);
    if (newline < 0) return end;
    const line = this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line;
    this.#line = "";
    this.#part = this.#next(line);
    return end + 1;
  }

  /** What follows a line. */
  #next(line: string): Part {
    switch (this.#part) {
      case "status line": {
        const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(line)?.[1];
        if (status === undefined) throw new Error("the answer is not HTTP/1.1");
        this.#status = Number(status);
        return "header";
      }
      case "header":
        if (line === "") return this.#afterHead();
        this.#addHeader(line);
        return "header";
      case "chunk size": {
        const size = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(line)?.[1];
        if (size === undefined) throw new Error("a chunk of the answer has no size");
        this.#left = Number.parseInt(size, 16);
        return this.#left === 0 ? "trailer" : "chunk";
      }
      case "end of chunk":
        if (line !== "") throw new Error("a chunk of the answer is longer than it says");
        return "chunk size";
      default:
        return line === "" ? "nothing" : "trailer";
    }
  }

  #addHeader(line: string): void {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new Error("a header of the answer has no name");
    this.#headSize += line.length;
    if (this.#headSize > HEAD_LIMIT) throw new Error("the headers of the answer are too long");
    const name = line.slice(0, colon).toLowerCase();
    const value = Buffer.from(line.slice(colon + 1).trim(), "latin1").toString("utf8");
    const before = this.#headers.get(name);
    this.#headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }

  #afterHead(): Part {
    if (this.#status < 200) {
      this.#headers.clear();
      return "status line";
    }
    this.#head = { status: this.#status, headers: Object.fromEntries(this.#headers) };
    if (this.#status === 204 || this.#status === 304) return "nothing";
    const encoding = this.#headers.get("transfer-encoding");
    const length = this.#headers.get("content-length");
    if (encoding?.toLowerCase() === "chunked") return "chunk size";
    if (encoding !== undefined) throw new Error(`the answer's encoding ${encoding} is not known`);
    if (length === undefined) return "until the end";
    if (!/^\d{1,15}$/.test(length)) throw new Error("the answer's length is not a number");
    this.#left = Number(length);
    return this.#left === 0 ? "nothing" : "known length";
  }
}

const BLOCK = 64 * 2 ** 10;

/**
 * Bytes that wait together, however small the pieces were that they came in. They are put into one block after the
 * other and taken out as parts of these: what was taken is never written to again.
 */
class ByteQueue {
  readonly #full: Buffer[] = [];
  #block = Buffer.allocUnsafeSlow(BLOCK);
  #taken = 0;
  #end = 0;
  size = 0;

  add(from: Buffer, start: number, end: number): void {
    this.size += end - start;
    for (let at = start; at < end; ) {
      const copied = from.copy(this.#block, this.#end, at, end);
      at += copied;
      this.#end += copied;
      if (this.#end < BLOCK) return;
      this.#full.push(this.#rest());
      this.#block = Buffer.allocUnsafeSlow(BLOCK);
      this.#taken = 0;
      this.#end = 0;
    }
  }

  take(): Buffer {
    const bytes = this.#full.shift() ?? this.#rest();
    this.size -= bytes.length;
    return bytes;
  }

  #rest(): Buffer {
    const bytes = this.#block.subarray(this.#taken, this.#end);
    this.#taken = this.#end;
    return bytes;
  }
}
