import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "../lib/http.ts";
import type { ServeRequest } from "../lib/https_server.ts";
import { nextTurn } from "../lib/turn.ts";

/**
 * Reaches a server in this process as if over a connection: bodies are bytes, nothing is shared, and aborting a
 * request lets the server know that nobody reads the answer. As over a connection, everything else that is ready
 * has its turn between question and answer: a client that asks without pause does not stop the process.
 */
export class InProcessSender implements HttpSender {
  readonly #handle: ServeRequest;
  readonly #open = new Set<AbortController>();

  constructor(handle: ServeRequest) {
    this.#handle = handle;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { signal } = request;
    signal?.throwIfAborted();
    const connection = new AbortController();
    const onAbort = () => connection.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#open.add(connection);
    const release = () => {
      signal?.removeEventListener("abort", onAbort);
      this.#open.delete(connection);
    };
    try {
      await new Promise<void>(nextTurn);
      connection.signal.throwIfAborted();
      const mark = request.path.indexOf("?");
      const answering = this.#handle({
        method: request.method,
        path: mark < 0 ? request.path : request.path.slice(0, mark),
        query: new URLSearchParams(mark < 0 ? "" : request.path.slice(mark + 1)),
        headers: request.headers ?? {},
        body: request.body === undefined ? new Uint8Array() : Buffer.from(request.body),
        signal: connection.signal,
      });
      const { status, headers = {}, body } = await orCut(answering, connection.signal);
      if (typeof body !== "string" && !(body instanceof Uint8Array)) {
        return { status, headers, body: follow(body, connection, release) };
      }
      release();
      return { status, headers, body: whole(typeof body === "string" ? Buffer.from(body) : body) };
    } catch (error) {
      release();
      throw error;
    }
  }

  close(): void {
    const failure = new HttpFailure("the control plane is closed", { code: "ECONNRESET", sent: true });
    for (const connection of this.#open) connection.abort(failure);
  }
}

/** The answer, or the signal's reason when that comes first. */
async function orCut<T>(answering: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([answering, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function* whole(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** The server ends a stream soon after its signal aborts; here that end is the signal's reason. */
async function* follow(
  body: AsyncIterable<Uint8Array>,
  connection: AbortController,
  release: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      connection.signal.throwIfAborted();
      yield chunk;
      connection.signal.throwIfAborted();
    }
    connection.signal.throwIfAborted();
  } finally {
    release();
    connection.abort(new Error("the client has gone away"));
  }
}
