import {
  type HttpRequest,
  type HttpResponse,
  type HttpSender,
  readBody,
  UpgradeRefused,
  type WebSocketConnection,
  type WebSocketRequest,
} from "../../lib/http.ts";
import type { Credentials, Identity } from "./credentials.ts";

/** Makes the connections for an identity: client certificates belong to the connection, not to a request. */
export type SenderFactory = (identity: Identity) => HttpSender;

/** Certificates may be short-lived: those before these have hardly a request under way. */
const MOST_SENDERS = 3;

/** Shows credentials with every request; when they are refused, asks for fresh ones and tries once more. */
export class AuthorizedSender implements HttpSender {
  readonly #credentials: Credentials;
  readonly #factory: SenderFactory;
  /** By client certificate. Requests under way on the connections of an old one end in their own time. */
  readonly #senders = new Map<string | undefined, HttpSender>();

  constructor(credentials: Credentials, factory: SenderFactory) {
    this.#credentials = credentials;
    this.#factory = factory;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const identity = await this.#credentials.current(request.signal);
    const response = await this.#senderFor(identity).send(withHeaders(request, identity));
    if (response.status !== 401) return response;
    const fresh = await this.#credentials.renew(identity, request.signal);
    if (!fresh) return response;
    await readBody(response.body);
    return this.#senderFor(fresh).send(withHeaders(request, fresh));
  }

  async connect(request: WebSocketRequest): Promise<WebSocketConnection> {
    const identity = await this.#credentials.current(request.signal);
    try {
      return await this.#connect(request, identity);
    } catch (error) {
      if (!(error instanceof UpgradeRefused) || error.status !== 401) throw error;
      const fresh = await this.#credentials.renew(identity, request.signal);
      if (!fresh) throw error;
      return this.#connect(request, fresh);
    }
  }

  async #connect(request: WebSocketRequest, identity: Identity): Promise<WebSocketConnection> {
    const sender = this.#senderFor(identity);
    if (!sender.connect) throw new TypeError("this connection cannot carry WebSockets");
    return sender.connect(withHeaders(request, identity));
  }

  close(): void {
    this.#credentials.close?.();
    for (const sender of this.#senders.values()) sender.close();
  }

  #senderFor(identity: Identity): HttpSender {
    const known = this.#senders.get(identity.cert);
    if (known) return known;
    const sender = this.#factory(identity);
    this.#senders.set(identity.cert, sender);
    const [oldest] = this.#senders.keys();
    if (this.#senders.size > MOST_SENDERS) this.#senders.delete(oldest);
    return sender;
  }
}

function withHeaders<R extends HttpRequest | WebSocketRequest>(request: R, identity: Identity): R {
  return { ...request, headers: { ...request.headers, ...identity.headers } };
}
