import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { WebSocketConnection } from "./http.ts";
import { headOf, pour, readWithin, refuse, text } from "./https_server_messages.ts";
import { http } from "./node_http.ts";
import { https, tls } from "./node_https.ts";

/** A request as a handler sees it: complete, and within the limits. */
export interface ServedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborts when the client has gone away: nobody reads the answer any more. */
  readonly signal: AbortSignal;
}

/** What a handler answers: in one piece, or piece by piece as it comes. */
export interface ServedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is read at the client's pace, and left when the client goes away. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Answers one request. What it throws becomes a 500 that tells the client nothing. */
export type ServeRequest = (request: ServedRequest) => ServedResponse | Promise<ServedResponse>;

/** A connection that a server takes over as a WebSocket, in one of the protocols that the client offered. */
export interface TakenSocket {
  readonly protocol: string;
  /** Called once the connection is open, with which it may do as it likes. What it throws closes the connection. */
  serve(connection: WebSocketConnection): Promise<void>;
}

/** Takes a connection over, or answers as to any request. `protocols`: those that the client offers. */
export type ServeSocket = (
  request: Omit<ServedRequest, "body">,
  protocols: readonly string[],
) => Promise<TakenSocket | ServedResponse>;

/** What a TLS server shows (a certificate, then its chain) and the key to it, in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** What one server takes on. What remains of a refused request is read and thrown away, so that the answer arrives. Times in milliseconds, sizes in bytes. */
export interface ServerLimits {
  /** A larger body is refused with 413. Default 1 MiB. */
  readonly body: number;
  /** Further requests are refused with 503 before their body is read. Default 64. */
  readonly requests: number;
  /** Further connections are closed at once. Default 512. */
  readonly connections: number;
  /** Longest time for the request's headers, and for the TLS handshake. Default 10 s. */
  readonly headersTimeout: number;
  /** Longest time for the whole request to arrive. Default 30 s. */
  readonly requestTimeout: number;
  /**
   * How long an idle connection is kept. Default 120 s: longer than the 90 s of Go's clients, so that it is they
   * who close, and no request meets a connection that is being closed.
   */
  readonly idleTimeout: number;
}

/** Where to listen, as whom, and how much to take on. */
export interface ListenOptions {
  /** Default: every address of this machine. */
  readonly host?: string;
  /** 0 for a free one; the server says which. */
  readonly port: number;
  /** Called now and at every `reloadTls`. Plain HTTP without it. */
  readonly tls?: () => TlsIdentity;
  /** With TLS: the authority of the clients, in PEM. Whoever has no certificate of it is turned away. Default: anybody may come. */
  readonly clientAuthority?: string;
  readonly handler: ServeRequest;
  /** Answers those who ask for a WebSocket. Without it they are answered as if they had not. */
  readonly socket?: ServeSocket;
  readonly limits?: Partial<ServerLimits>;
  /** The answer to a body beyond its limit. Default: a sentence, with 413. */
  readonly tooLarge?: ServedResponse;
  /** Told of what the client only sees as a 500: a handler that threw, a socket that failed. */
  readonly onError?: (error: unknown) => void;
}

/** A server that listens. */
export interface RunningServer {
  /** The port that it got. */
  readonly port: number;
  /** New connections get the identity of now; open ones stay. Throws, and changes nothing, if it is unusable. */
  reloadTls(): void;
  /**
   * Takes no more connections, ends idle ones and resolves when the running requests are answered. When the
   * signal aborts they are cut off; without a signal they may take as long as they like.
   */
  close(signal?: AbortSignal): Promise<void>;
}

/** Listening as a port, so that a simulation can hand in its own. */
export type Listen = (options: ListenOptions) => Promise<RunningServer>;

const DEFAULT_LIMITS: ServerLimits = {
  body: 2 ** 20,
  requests: 64,
  connections: 512,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  idleTimeout: 120_000,
};

/** Serves HTTP/1.1, over TLS when given an identity. Rejects when the address cannot be had. */
export const listen: Listen = (options) => new BoundedServer(options).start();

class BoundedServer implements RunningServer {
  port = 0;
  readonly #options: ListenOptions;
  readonly #limits: ServerLimits;
  readonly #server: Server | HttpsServer;
  /** Raw connections, and the TLS ones on top of them. */
  readonly #sockets = new Set<Socket>();
  readonly #busy = new Set<Socket>();
  #requests = 0;
  #closing = false;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { headersTimeout, requestTimeout, idleTimeout } = this.#limits;
    const timeouts = {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout: idleTimeout,
      connectionsCheckingInterval: Math.min(headersTimeout, 5_000),
    };
    const onRequest = (request: IncomingMessage, response: ServerResponse) =>
      void this.#serve(request, response).catch((error) => {
        this.#options.onError?.(error);
        response.destroy();
      });
    this.#server = options.tls
      ? https.createServer(
          {
            ...timeouts,
            ...secure(options.tls()),
            ...trusting(options.clientAuthority),
            handshakeTimeout: headersTimeout,
          },
          onRequest,
        )
      : http.createServer(timeouts, onRequest);
    const { socket: serveSocket } = options;
    if (serveSocket) {
      this.#server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
        void this.#upgrade(serveSocket, request, socket, head).catch((error) => {
          this.#options.onError?.(error);
          socket.destroy();
        });
      });
    }
    this.#server.maxConnections = this.#limits.connections;
    this.#server.on("connection", (socket: Socket) => this.#track(socket));
    this.#server.on("secureConnection", (socket: Socket) => this.#track(socket));
  }

  async start(): Promise<RunningServer> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ ...(host === undefined ? {} : { host }), port }, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    this.port = (this.#server.address() as AddressInfo).port;
    this.#server.on("error", (error) => this.#options.onError?.(error));
    return this;
  }

  reloadTls(): void {
    const { tls: identity } = this.#options;
    if (!identity || !("setSecureContext" in this.#server))
      throw new TypeError("this server does not speak TLS");
    const context = { ...secure(identity()), ...trusting(this.#options.clientAuthority) };
    tls.createSecureContext(context);
    this.#server.setSecureContext(context);
  }

  async close(signal?: AbortSignal): Promise<void> {
    this.#closing = true;
    const cut = () => this.#destroy(() => true);
    signal?.addEventListener("abort", cut, { once: true });
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (this.#busy.size === 0 || signal?.aborted) cut();
    else this.#destroy((socket) => !this.#isBusy(socket));
    await closed;
    signal?.removeEventListener("abort", cut);
  }

  #track(socket: Socket): void {
    if (this.#closing) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #destroy(select: (socket: Socket) => boolean): void {
    for (const socket of [...this.#sockets]) if (select(socket)) socket.destroy();
  }

  /** A busy TLS connection keeps the raw one beneath it busy too; the client's port tells them to be one. */
  #isBusy(socket: Socket): boolean {
    for (const busy of this.#busy) {
      if (busy.remotePort === socket.remotePort && busy.remoteAddress === socket.remoteAddress) return true;
    }
    return false;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const gone = new AbortController();
    const leave = () => gone.abort(new Error("the client has gone away"));
    response.on("error", leave);
    const admitted = this.#requests < this.#limits.requests;
    if (admitted) this.#requests++;
    this.#busy.add(socket);
    response.once("close", () => {
      if (admitted) this.#requests--;
      this.#busy.delete(socket);
      if (!response.writableFinished) leave();
    });
    if (!admitted) {
      const answer = text(503, `busy with ${this.#limits.requests} requests; try again in a second`);
      return await this.#send(response, { ...answer, headers: { ...answer.headers, "retry-after": "1" } });
    }
    const body = await readWithin(request, this.#limits.body);
    if (body === "gone") return;
    if (body === "too large") {
      const { tooLarge = text(413, `the body is larger than ${this.#limits.body} bytes`) } = this.#options;
      return await this.#send(response, tooLarge);
    }
    await this.#send(response, await this.#answer(request, body, gone.signal));
  }

  async #upgrade(serve: ServeSocket, request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const gone = new AbortController();
    socket.once("close", () => {
      this.#busy.delete(socket);
      gone.abort(new Error("the client has gone away"));
    });
    // Whoever reads or writes it next is told; until then nobody is.
    socket.on("error", () => {});
    this.#busy.add(socket);
    const protocols = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
    const taken = await serve({ ...headOf(request), signal: gone.signal }, protocols.filter(Boolean));
    if ("status" in taken) return await refuse(socket, taken);
    const { protocol } = taken;
    const { acceptWebSocket } = await import("./websocket_server.ts");
    acceptWebSocket({ request, socket, head, protocol, signal: gone.signal }, (connection) => {
      taken
        .serve(connection)
        .catch((error: unknown) => gone.signal.aborted || this.#options.onError?.(error))
        .finally(() => connection.close());
    });
  }

  async #answer(request: IncomingMessage, body: Uint8Array, signal: AbortSignal): Promise<ServedResponse> {
    try {
      return await this.#options.handler({ ...headOf(request), body, signal });
    } catch (error) {
      this.#options.onError?.(error);
      return text(500, "internal error; the server's log says more");
    }
  }

  async #send(response: ServerResponse, answer: ServedResponse): Promise<void> {
    if (response.destroyed) return;
    const headers = { ...answer.headers, ...(this.#closing && { connection: "close" }) };
    const body = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
    if (body instanceof Uint8Array) {
      response.writeHead(answer.status, { ...headers, "content-length": body.byteLength });
      response.end(body);
      return;
    }
    response.writeHead(answer.status, headers);
    response.flushHeaders();
    await pour(body, response);
  }
}

function secure(identity: TlsIdentity) {
  return { cert: identity.cert, key: identity.key, minVersion: "TLSv1.2" as const };
}

/** Both sides prove themselves, and are ours: no older protocol is needed. */
function trusting(ca: string | undefined) {
  if (ca === undefined) return {};
  return { ca, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" as const };
}
