import { type Clock, deadline } from "../../lib/clock.ts";
import {
  HttpFailure,
  type HttpResponse,
  type HttpSender,
  readBody,
  UpgradeRefused,
  type WebSocketConnection,
} from "../../lib/http.ts";
import type { Random } from "../../lib/random.ts";
import type { Budget } from "../../lib/token_bucket.ts";
import { type ApiObserver, noApiObserver } from "../../observe/observers.ts";
import type { CallOptions } from "../client.ts";
import {
  type ApiCall,
  describe,
  parseAnswer,
  parseWarnings,
  refusalOf,
  requestOf,
  targetOf,
} from "./api_call.ts";
import { withRetries } from "./retry.ts";

export interface CallerOptions {
  /** Reaches the API server, authenticated. */
  readonly sender: HttpSender;
  readonly clock: Clock;
  readonly random: Random;
  /** What requests to the API server wait for, shared by all parts of the program. Without one, none is held back. */
  readonly budget?: Budget;
  readonly observer?: ApiObserver;
  readonly userAgent?: string;
  /** For calls that name no timeout of their own, in milliseconds. Default 30 s. */
  readonly timeout?: number;
  /** How long a server that gives no answer at all is tried, in milliseconds. Default: as long as the timeout. */
  readonly patience?: number;
}

/** Carries calls out: budget, deadline, retries, errors, and a word to the observer for each request. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #observer: ApiObserver;
  /** The headers that say who asks. */
  readonly #own: Readonly<Record<string, string>>;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#own = options.userAgent ? { "user-agent": options.userAgent } : {};
    this.#observer = options.observer ?? noApiObserver;
  }

  /** One call with its retries, to its parsed answer. */
  async call(call: ApiCall, options: CallOptions = {}, onWarning?: (text: string) => void): Promise<unknown> {
    const { clock, random } = this.#options;
    const timeout = options.timeout ?? this.#options.timeout ?? 30_000;
    using limit = deadline(clock, timeout, describe(call), options.signal);
    const { signal } = limit;
    return await withRetries(
      async (attempt) => {
        const response = await this.#send(call, { attempt, signal, dedicated: false });
        if (onWarning) for (const text of parseWarnings(response.headers.warning)) onWarning(text);
        return parseAnswer(await readBody(response.body), call);
      },
      { clock, random, signal, isRead: call.method === "GET", patience: this.#options.patience },
    );
  }

  /** One request on a connection of its own, to its accepted but unread answer. Not tried again. */
  open(call: ApiCall, signal: AbortSignal): Promise<HttpResponse> {
    return this.#send(call, { attempt: 1, signal, dedicated: true });
  }

  /** As `open`, but tried again, as a WebSocket is, until `tries` ends that. */
  reopen(
    call: ApiCall,
    { signal, tries }: { signal: AbortSignal; tries: AbortSignal },
  ): Promise<HttpResponse> {
    const { clock, random } = this.#options;
    const open = (attempt: number) => this.#send(call, { attempt, signal, dedicated: true });
    return withRetries(open, { clock, random, signal: tries, isRead: false });
  }

  /**
   * Opens a WebSocket, tried again while the server cannot have begun what it is for. `more` follows the query; the
   * signal ends the connection, too.
   */
  connect(
    call: ApiCall,
    { protocols, more, signal }: { protocols: readonly string[]; more: string; signal: AbortSignal },
  ): Promise<WebSocketConnection> {
    const { sender, clock, random, budget } = this.#options;
    const connect = sender.connect?.bind(sender);
    if (!connect) throw new TypeError(`${describe(call)}: this connection cannot carry WebSockets`);
    const path = requestOf(call).path + more;
    return withRetries(
      async (attempt) => {
        await budget?.take(signal);
        const observe = this.#observing(call, attempt);
        try {
          const connection = await connect({ path, headers: this.#own, protocols, signal });
          observe(101);
          return connection;
        } catch (error) {
          observe(error instanceof UpgradeRefused ? error.status : codeOf(error));
          throw error;
        }
      },
      { clock, random, signal, isRead: false },
    );
  }

  /** Resolves on success only: every other answer is thrown as the ApiError that it is. */
  async #send(
    call: ApiCall,
    { attempt, signal, dedicated }: { attempt: number; signal: AbortSignal; dedicated: boolean },
  ): Promise<HttpResponse> {
    const { sender, budget } = this.#options;
    await budget?.take(signal);
    const observe = this.#observing(call, attempt);
    const request = requestOf(call);
    const headers = { ...request.headers, ...this.#own };
    let response: HttpResponse;
    try {
      response = await sender.send({ ...request, headers, signal, dedicated });
    } catch (error) {
      observe(codeOf(error));
      throw error;
    }
    observe(response.status);
    if (response.status < 300) return response;
    throw refusalOf(call, response, await readBody(response.body));
  }

  /** From now on; tells the observer what came of the request. */
  #observing(call: ApiCall, attempt: number): (code: number | string) => void {
    const { clock } = this.#options;
    const started = clock.monotonic();
    return (code) => {
      const durationMs = clock.monotonic() - started;
      this.#observer.request({ verb: call.verb, resource: targetOf(call), code, durationMs, attempt });
    };
  }
}

function codeOf(error: unknown): string {
  return error instanceof HttpFailure ? error.code : "aborted";
}
