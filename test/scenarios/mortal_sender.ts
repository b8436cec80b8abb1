import {
  HttpFailure,
  type HttpRequest,
  type HttpResponse,
  type HttpSender,
  type WebSocketConnection,
  type WebSocketRequest,
} from "../../src/lib/http.ts";

/** When a program dies. */
export interface Death {
  /** At which of its requests, counted from 1 without watches and logs. */
  readonly request: number;
  /** The request is carried out, but nobody is left to hear the answer. */
  readonly carriedOut: boolean;
}

/** The connection of a program that dies on demand: nothing of it reaches the server afterwards. */
export class MortalSender implements HttpSender {
  readonly #sender: HttpSender;
  readonly #death: Death | undefined;
  readonly #end = Promise.withResolvers<void>();
  #requests = 0;
  #dead = false;

  constructor(sender: HttpSender, death?: Death) {
    this.#sender = sender;
    this.#death = death;
  }

  /** Resolves when it has died. */
  get died(): Promise<void> {
    return this.#end.promise;
  }

  get isDead(): boolean {
    return this.#dead;
  }

  die(): void {
    this.#dead = true;
    this.#end.resolve();
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    if (this.#dead) throw gone();
    const counted = !request.path.includes("watch=true") && !request.path.includes("/log?");
    if (!counted || ++this.#requests !== this.#death?.request) return this.#sender.send(request);
    this.die();
    if (this.#death.carriedOut) for await (const _ of (await this.#sender.send(request)).body);
    throw gone();
  }

  async connect(request: WebSocketRequest): Promise<WebSocketConnection> {
    if (this.#dead || !this.#sender.connect) throw gone();
    return this.#sender.connect(request);
  }

  close(): void {
    this.die();
  }
}

function gone(): HttpFailure {
  return new HttpFailure("the program is dead", { code: "ECONNRESET", sent: true });
}
