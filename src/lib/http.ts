/** Speaking HTTP as a port: real sockets, or a server in the same process, or one that fails on demand. */
export interface HttpSender {
  /**
   * Resolves when the response's headers are here; whatever the status, that is an answer. Rejects when there
   * was none: with the signal's reason, or with an HttpFailure.
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Opens a connection that both sides then use as they like. Rejects with an UpgradeRefused when the answer is no. */
  connect?(request: WebSocketRequest): Promise<WebSocketConnection>;
  /** Ends every connection, also the busy ones. */
  close(): void;
}

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, without the host. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** A connection of its own, not shared and not kept: for what streams for a long time. */
  readonly dedicated?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read it to its end, or leave the loop: both free the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface WebSocketRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols: readonly string[];
  readonly signal?: AbortSignal;
}

export interface WebSocketConnection {
  readonly protocol: string;
  /** Messages as they come; ends when the other side closes, throws when the connection breaks. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the data is handed to the operating system. */
  send(data: Uint8Array): Promise<void>;
  close(): void;
}

/** The request got no answer: refused, reset, unresolvable, not trusted. */
export class HttpFailure extends Error {
  override name = "HttpFailure";
  /** The operating system's code, such as ECONNREFUSED. */
  readonly code: string;
  /** The request may have reached the server, and been carried out. */
  readonly sent: boolean;

  constructor(message: string, options: { code: string; sent: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.sent = options.sent;
  }
}

/** The server answered a request for a WebSocket with no. */
export class UpgradeRefused extends HttpFailure {
  override name = "UpgradeRefused";
  readonly status: number;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfter: number | undefined;

  /** `said`: the body of the answer. Kubernetes refuses with a Status, whose message is the helpful part. */
  constructor(status: number, said: string, retryAfter: string | undefined) {
    super(messageIn(said) ?? (said.trim().slice(0, 1024) || `HTTP ${status}`), {
      code: `HTTP${status}`,
      sent: true,
    });
    const seconds = Number.parseInt(retryAfter ?? "", 10);
    this.status = status;
    this.retryAfter = Number.isNaN(seconds) ? undefined : seconds * 1000;
  }
}

function messageIn(said: string): string | undefined {
  try {
    const { message } = JSON.parse(said) as { readonly message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The whole body, refused beyond `limit` bytes. */
export async function readBody(body: AsyncIterable<Uint8Array>, limit = 256 * 2 ** 20): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit)
      throw new HttpFailure(`the answer is larger than ${limit} bytes`, { code: "ETOOBIG", sent: true });
    chunks.push(chunk);
  }
  return chunks.length === 1 && Buffer.isBuffer(chunks[0]) ? chunks[0] : Buffer.concat(chunks);
}
