import type { Agent, IncomingHttpHeaders } from "node:http";
import * as https from "node:https";
import { isIP, type Socket } from "node:net";
import {
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
} from "node:tls";
import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "./http.ts";
import { chunks } from "./https_sender_body.ts";
import { openStream } from "./https_sender_stream.ts";
import { http } from "./node_http.ts";

/** What a TLS connection is verified with, and what it shows of itself. PEM. */
export interface TlsMaterial {
  /** The system's authorities when absent. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name to verify, where it is not the URL's host. */
  readonly servername?: string;
}

export interface HttpsSenderOptions {
  /** Scheme, host, port and a path prefix if there is one. */
  readonly url: string;
  readonly tls?: TlsMaterial;
  /** Shared connections open at once. Default 32. */
  readonly maxSockets?: number;
}

/** A peer that vanished without closing is noticed after this silence and ten unanswered probes, a second apart. */
const KEEP_ALIVE_PROBE_MS = 15_000;

/** Servers close idle connections after a minute or more; a request on a closing one fails, so we go first. */
const IDLE_SOCKET_MS = 30_000;

/** HTTP/1.1 over TLS, always verified, on connections that are kept. */
export class HttpsSender implements HttpSender {
  readonly #url: URL;
  readonly #prefix: string;
  readonly #tls: SecureContextOptions & { readonly servername?: string; readonly rejectUnauthorized: true };
  readonly #shared: Agent;
  readonly #streams = new Set<Socket>();
  readonly #request: typeof https.request;
  #context: SecureContext | undefined;

  constructor(options: HttpsSenderOptions) {
    this.#url = new URL(options.url);
    const secure = this.#url.protocol === "https:";
    if (!secure && this.#url.protocol !== "http:")
      throw new TypeError(`${options.url} is neither https nor http`);
    this.#prefix = this.#url.pathname.replace(/\/$/, "");
    // What Node does when nobody says so hangs on NODE_TLS_REJECT_UNAUTHORIZED.
    this.#tls = { ...options.tls, rejectUnauthorized: true };
    const Agent = secure ? https.Agent : http.Agent;
    this.#request = secure ? https.request : http.request;
    this.#shared = new Agent({
      keepAlive: true,
      keepAliveMsecs: KEEP_ALIVE_PROBE_MS,
      maxSockets: options.maxSockets ?? 32,
      timeout: IDLE_SOCKET_MS,
      ...this.#tls,
    });
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    return request.dedicated ? this.#stream(request) : this.#exchange(request);
  }

  #exchange(request: HttpRequest): Promise<HttpResponse> {
    const { signal, body } = request;
    const headers: Record<string, string | number> = { ...request.headers };
    if (body !== undefined) headers["content-length"] = Buffer.byteLength(body);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      let sent = false;
      const outgoing = this.#request({
        ...addressOf(this.#url),
        method: request.method,
        path: this.#prefix + request.path,
        headers,
        agent: this.#shared,
      });
      const onAbort = () => outgoing.destroy();
      signal?.addEventListener("abort", onAbort, { once: true });
      outgoing.on("socket", (socket: Socket) => {
        socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
        if (!socket.connecting) sent = true;
        else socket.once(this.#url.protocol === "https:" ? "secureConnect" : "connect", () => (sent = true));
      });
      outgoing.on("error", (cause) => {
        signal?.removeEventListener("abort", onAbort);
        reject(signal?.aborted ? signal.reason : failure(this.#url, cause, sent));
      });
      outgoing.on("response", (incoming) => {
        const done = () => signal?.removeEventListener("abort", onAbort);
        incoming.once("close", done);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: flatten(incoming.headers),
          body: chunks(incoming, (cause) => failure(this.#url, cause, true), signal),
        });
      });
      outgoing.end(body);
    });
  }

  #stream(request: HttpRequest): Promise<HttpResponse> {
    return openStream(
      { ...request, path: this.#prefix + request.path },
      {
        ...addressOf(this.#url),
        authority: this.#url.host,
        ...(this.#url.protocol === "https:" ? { tls: this.#verification() } : {}),
        failure: (cause, sent) => failure(this.#url, cause, sent),
        onSocket: (socket) => {
          socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
          this.#streams.add(socket);
          socket.once("close", () => this.#streams.delete(socket));
        },
      },
    );
  }

  #verification(): ConnectionOptions {
    const { rejectUnauthorized, ...material } = this.#tls;
    this.#context ??= createSecureContext(material);
    const { host } = addressOf(this.#url);
    const servername = material.servername ?? (isIP(host) === 0 ? host : undefined);
    const named = servername === undefined ? {} : { servername };
    return { secureContext: this.#context, rejectUnauthorized, ...named };
  }

  async connect(request: Parameters<NonNullable<HttpSender["connect"]>>[0]) {
    const { openWebSocket } = await import("./websocket.ts");
    const url = new URL(this.#url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return openWebSocket(
      `${url.origin.replace(/^http/, "ws")}${this.#prefix}${request.path}`,
      request,
      this.#tls,
    );
  }

  close(): void {
    this.#shared.destroy();
    for (const socket of this.#streams) socket.destroy();
  }
}

function failure(url: URL, cause: Error, sent: boolean): HttpFailure {
  const code = (cause as NodeJS.ErrnoException).code ?? "EUNKNOWN";
  return new HttpFailure(`${url.host}: ${cause.message || code}`, { code, sent, cause });
}

function addressOf(url: URL): { readonly host: string; readonly port: number } {
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  return { host, port: Number(url.port) || (url.protocol === "https:" ? 443 : 80) };
}

/** Node reads headers as Latin-1; Kubernetes writes its warnings in UTF-8. */
function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    flat[name] = Buffer.from(Array.isArray(value) ? value.join(", ") : value, "latin1").toString("utf8");
  }
  return flat;
}
