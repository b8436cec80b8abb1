import {
  HttpFailure,
  type HttpRequest,
  type HttpResponse,
  type HttpSender,
  readBody,
  UpgradeRefused,
  type WebSocketConnection,
  type WebSocketRequest,
} from "../lib/http.ts";
import type { ServedResponse, ServeRequest, ServeSocket } from "../lib/https_server.ts";
import { nextTurn } from "../lib/turn.ts";
import { socketPair } from "./socket_pair.ts";

/**
 * Reaches a server in this process as if over a connection: bodies are bytes, nothing is shared, and aborting a
 * request lets the server know that nobody reads the answer. As over a connection, everything else that is ready
 * has its turn between question and answer: a client that asks without pause does not stop the process.
 */
export class InProcessSender implements HttpSender {
  readonly #handle: ServeRequest;
  readonly #connect: ServeSocket | undefined;
  readonly #open = new Set<AbortController>();

  constructor(handle: ServeRequest, connect?: ServeSocket) {
    this.#handle = handle;
    this.#connect = connect;
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

  async connect(request: WebSocketRequest): Promise<WebSocketConnection> {
    const { signal, path, headers = {}, protocols } = request;
    signal?.throwIfAborted();
    const gone = new AbortController();
    const mark = path.indexOf("?");
    const asked = {
      method: "GET",
      path: mark < 0 ? path : path.slice(0, mark),
      query: new URLSearchParams(mark < 0 ? "" : path.slice(mark + 1)),
      headers,
      signal: gone.signal,
    };
    await new Promise<void>(nextTurn);
    if (!this.#connect) throw new TypeError("this connection cannot carry WebSockets");
    const taken = await this.#connect(asked, protocols);
    if ("status" in taken) throw await refusal(taken);
    signal?.throwIfAborted();
    const { client, server } = socketPair(taken.protocol);
    const onAbort = () => client.cut(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#open.add(gone);
    gone.signal.addEventListener("abort", () => client.cut(gone.signal.reason), { once: true });
    void taken
      .serve(server)
      .catch(() => {})
      .finally(() => {
        signal?.removeEventListener("abort", onAbort);
        this.#open.delete(gone);
        server.close();
      });
    return client;
  }

  close(): void {
    const failure = new HttpFailure("the control plane is closed", { code: "ECONNRESET", sent: true });
    for (const connection of this.#open) connection.abort(failure);
  }
}

async function refusal({ status, headers, body }: ServedResponse): Promise<UpgradeRefused> {
  const said =
    typeof body === "string" ? body : String(body instanceof Uint8Array ? body : await readBody(body));
  return new UpgradeRefused(status, said, headers?.["retry-after"]);
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
