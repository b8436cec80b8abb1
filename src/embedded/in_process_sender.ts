import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "../lib/http.ts";
import type { ServedResponse, ServeRequest } from "../lib/https_server.ts";

/**
 * Reaches a server in this process as if over a connection: bodies are bytes, nothing is shared, and aborting a
 * request lets the server know that nobody reads the answer.
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
    const cut = cutBy(connection.signal);
    try {
      const mark = request.path.indexOf("?");
      const answering = this.#handle({
        method: request.method,
        path: mark < 0 ? request.path : request.path.slice(0, mark),
        query: new URLSearchParams(mark < 0 ? "" : request.path.slice(mark + 1)),
        headers: request.headers ?? {},
        body: request.body === undefined ? new Uint8Array() : Buffer.from(request.body),
        signal: connection.signal,
      });
      const answer = await Promise.race([answering, cut]);
      const body = read(answer, cut, () => {
        release();
        connection.abort(new Error("the client has gone away"));
      });
      return { status: answer.status, headers: answer.headers ?? {}, body };
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

/** Rejects when the signal aborts, with its reason. */
function cutBy(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

async function* read(
  { body }: ServedResponse,
  cut: Promise<never>,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    if (typeof body === "string") {
      yield Buffer.from(body);
    } else if (body instanceof Uint8Array) {
      yield body;
    } else {
      const chunks = body[Symbol.asyncIterator]();
      for (;;) {
        const next = await Promise.race([chunks.next(), cut]);
        if (next.done) return;
        yield next.value;
      }
    }
  } finally {
    end();
  }
}
