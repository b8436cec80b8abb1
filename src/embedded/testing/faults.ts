import { type Clock, sleep } from "../../lib/clock.ts";
import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "../../lib/http.ts";
import type { Random } from "../../lib/random.ts";

/** One thing that goes wrong with a request. */
export type Fault =
  /** It arrives late. */
  | { readonly kind: "delay"; readonly ms: number }
  /** It never arrives. */
  | { readonly kind: "unreachable" }
  /** It is answered with this error, and not carried out. */
  | { readonly kind: "error"; readonly code: 429 | 500 | 503; readonly retryAfterSeconds?: number }
  /** It is carried out, but the answer is lost. */
  | { readonly kind: "answerLost" }
  /** The connection breaks after this time, if the answer, such as a watch, is not complete by then. */
  | { readonly kind: "cut"; readonly afterMs: number };

/** Decides what goes wrong with a request, in the order of the list; the first request is number 1. */
export type FaultPlan = (request: HttpRequest, number: number) => readonly Fault[];

export interface FaultySenderOptions {
  readonly sender: HttpSender;
  readonly clock: Clock;
  readonly plan: FaultPlan;
}

/** An HttpSender on which things go wrong as planned. */
export class FaultySender implements HttpSender {
  readonly #options: FaultySenderOptions;
  #requests = 0;

  constructor(options: FaultySenderOptions) {
    this.#options = options;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    return this.#sendThrough(request, this.#options.plan(request, ++this.#requests));
  }

  close(): void {
    this.#options.sender.close();
  }

  async #sendThrough(request: HttpRequest, faults: readonly Fault[]): Promise<HttpResponse> {
    const { sender, clock } = this.#options;
    const [fault, ...others] = faults;
    switch (fault?.kind) {
      case undefined:
        return sender.send(request);
      case "delay":
        await sleep(clock, fault.ms, request.signal);
        return this.#sendThrough(request, others);
      case "unreachable":
        throw new HttpFailure("the server cannot be reached (injected)", {
          code: "ECONNREFUSED",
          sent: false,
        });
      case "error":
        return errorAnswer(fault.code, fault.retryAfterSeconds);
      case "answerLost": {
        const answer = await this.#sendThrough(request, others);
        for await (const _ of answer.body) break;
        throw broken();
      }
      case "cut": {
        const cut = new AbortController();
        const signal = request.signal ? AbortSignal.any([request.signal, cut.signal]) : cut.signal;
        const cancel = clock.after(fault.afterMs, () => cut.abort(broken()));
        const answer = await this.#sendThrough({ ...request, signal }, others);
        return { ...answer, body: untilCut(answer.body, cut.signal, cancel) };
      }
    }
  }
}

function broken(): HttpFailure {
  return new HttpFailure("the connection broke (injected)", { code: "ECONNRESET", sent: true });
}

/** A body whose end, if the cut caused it, is not mistaken for its real one. */
async function* untilCut(
  body: AsyncIterable<Uint8Array>,
  cut: AbortSignal,
  cancel: () => void,
): AsyncIterable<Uint8Array> {
  try {
    yield* body;
    cut.throwIfAborted();
  } finally {
    cancel();
  }
}

function errorAnswer(code: number, retryAfterSeconds: number | undefined): HttpResponse {
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  const message = "the server is not able to answer (injected)";
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    details,
    code,
  };
  return {
    status: code,
    headers: {
      "content-type": "application/json",
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    },
    body: once(Buffer.from(JSON.stringify(status))),
  };
}

async function* once(chunk: Uint8Array): AsyncIterable<Uint8Array> {
  yield chunk;
}

/** How often each fault happens, 0 to 1. All default to 0. */
export interface FaultRates {
  readonly delay?: number;
  readonly unreachable?: number;
  readonly error?: number;
  readonly answerLost?: number;
  readonly cut?: number;
  /** The longest delay, and the longest life of a connection that is cut, in milliseconds. Default 10,000. */
  readonly longest?: number;
}

/** Faults by chance; the same seed gives the same faults to the same requests. */
export function randomFaults(random: Random, rates: FaultRates): FaultPlan {
  const { longest = 10_000 } = rates;
  const happens = (rate = 0) => random.next() < rate;
  return () => {
    const faults: Fault[] = [];
    if (happens(rates.delay)) faults.push({ kind: "delay", ms: random.next() * longest });
    if (happens(rates.unreachable)) faults.push({ kind: "unreachable" });
    if (happens(rates.error)) faults.push({ kind: "error", code: 503, retryAfterSeconds: 1 });
    if (happens(rates.answerLost)) faults.push({ kind: "answerLost" });
    if (happens(rates.cut)) faults.push({ kind: "cut", afterMs: random.next() * longest });
    return faults;
  };
}
