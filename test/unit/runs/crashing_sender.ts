import type {
  HttpRequest,
  HttpResponse,
  HttpSender,
  WebSocketConnection,
  WebSocketRequest,
} from "../../../src/lib/http.ts";

/** The program is no more. */
export class Crash extends Error {
  override name = "Crash";
}

export interface CrashPoint {
  /** Counts requests from 1; watches and logs are not counted. */
  readonly request: number;
  /** The request is carried out, but nobody is left to hear the answer. */
  readonly carriedOut: boolean;
}

/** The connection of a program that dies at a certain request: nothing of it reaches the server afterwards. */
export class CrashingSender implements HttpSender {
  readonly #sender: HttpSender;
  readonly #point: CrashPoint | undefined;
  #dead = false;
  requests = 0;

  constructor(sender: HttpSender, point?: CrashPoint) {
    this.#sender = sender;
    this.#point = point;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    if (this.#dead) throw new Crash("the program is dead");
    const counted = !request.path.includes("watch=true") && !request.path.includes("/log?");
    if (!counted || ++this.requests !== this.#point?.request) return this.#sender.send(request);
    this.#dead = true;
    if (this.#point.carriedOut) for await (const _ of (await this.#sender.send(request)).body);
    throw new Crash(`died at ${request.method} ${request.path}`);
  }

  /** Commands in pods. */
  async connect(request: WebSocketRequest): Promise<WebSocketConnection> {
    if (this.#dead || !this.#sender.connect) throw new Crash("the program is dead");
    if (++this.requests !== this.#point?.request) return this.#sender.connect(request);
    this.#dead = true;
    if (this.#point.carriedOut) for await (const _ of (await this.#sender.connect(request)).messages);
    throw new Crash(`died at ${request.path}`);
  }

  close(): void {}
}
