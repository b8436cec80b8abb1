import { type Clock, deadline } from "../../lib/clock.ts";
import { HttpFailure, type HttpResponse, type HttpSender, readBody } from "../../lib/http.ts";
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
}

/** Carries calls out: budget, deadline, retries, errors, and a word to the observer for each request. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #observer: ApiObserver;

  constructor(options: CallerOptions) {
    this.#options = options;
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
      { clock, random, signal, isRead: call.method === "GET" },
    );
  }

  /** One request on a connection of its own, to its accepted but unread answer. Not tried again. */
  open(call: ApiCall, signal: AbortSignal): Promise<HttpResponse> {
    return this.#send(call, { attempt: 1, signal, dedicated: true });
  }

  /** Resolves on success only: every other answer is thrown as the ApiError that it is. */
  async #send(
    call: ApiCall,
    { attempt, signal, dedicated }: { attempt: number; signal: AbortSignal; dedicated: boolean },
  ): Promise<HttpResponse> {
    const { sender, clock, budget, userAgent } = this.#options;
    await budget?.take(signal);
    const started = clock.monotonic();
    const observe = (code: number | string) => {
      const durationMs = clock.monotonic() - started;
      this.#observer.request({ verb: call.verb, resource: targetOf(call), code, durationMs, attempt });
    };
    const request = requestOf(call);
    const headers = userAgent ? { ...request.headers, "user-agent": userAgent } : (request.headers ?? {});
    let response: HttpResponse;
    try {
      response = await sender.send({ ...request, headers, signal, dedicated });
    } catch (error) {
      observe(error instanceof HttpFailure ? error.code : "aborted");
      throw error;
    }
    observe(response.status);
    if (response.status < 300) return response;
    throw refusalOf(call, response, await readBody(response.body));
  }
}
