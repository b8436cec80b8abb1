import type { HttpRequest, HttpResponse, HttpSender } from "../../lib/http.ts";

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value, or the chunks of a stream. */
  readonly body?: unknown;
  readonly stream?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An HttpSender for tests: answers come from a function, requests are kept. */
export class ScriptedSender implements HttpSender {
  readonly requests: HttpRequest[] = [];
  readonly #answer: (request: HttpRequest, n: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

  constructor(answer: (request: HttpRequest, n: number) => ScriptedAnswer | Promise<ScriptedAnswer>) {
    this.#answer = answer;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    request.signal?.throwIfAborted();
    this.requests.push(request);
    const answer = await this.#answer(request, this.requests.length);
    return {
      status: answer.status ?? 200,
      headers: answer.headers ?? {},
      body: toAsync(answer.stream ?? [Buffer.from(JSON.stringify(answer.body ?? {}))], request.signal),
    };
  }

  close(): void {}
}

/** A failed answer in the API server's form. */
export function failedStatus(
  code: number,
  reason: string,
  message = reason,
  details?: object,
): ScriptedAnswer {
  return {
    status: code,
    body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details },
  };
}

/** Ends with the signal's reason, as a real connection does. */
async function* toAsync(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  signal?.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
  const iterator =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), aborted.promise]);
    if (next.done) return;
    yield next.value;
  }
}
