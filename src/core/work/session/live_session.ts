import { type Clock, deadline } from "../../../lib/clock.ts";
import { HttpFailure, type HttpRequest, type HttpResponse, readBody } from "../../../lib/http.ts";
import { messageOf } from "../../../lib/result.ts";
import type { StartedSession } from "./session_runner.ts";

export interface LiveSessionOptions {
  readonly started: StartedSession;
  readonly clock: Clock;
  /** The last of the questions that it was asked has been answered. */
  readonly onRest: () => void;
  /** It does not answer any more. */
  readonly onSilence: (why: string) => void;
}

/** How long questions may go without an answer before the session is asked whether it is still there. */
const PULSE_EVERY = 10_000;
const PULSE_TIMEOUT = 15_000;
/** Answered without the engine, and so at once. */
const PULSE = "/v1/repository";
const PULSE_BYTES = 65_536;

/** A session that answers: counts what it is busy with, and notices when it has fallen silent. */
export class LiveSession {
  readonly started: StartedSession;
  readonly #options: LiveSessionOptions;
  readonly #end = new AbortController();
  #running = 0;
  #lastUsed: number;
  #cancelPulse = () => {};

  constructor(options: LiveSessionOptions) {
    this.started = options.started;
    this.#options = options;
    this.#lastUsed = options.clock.monotonic();
  }

  get busy(): boolean {
    return this.#running > 0;
  }

  /** On the monotonic clock. */
  get lastUsed(): number {
    return this.#lastUsed;
  }

  /** As a sender's; it counts as busy until the body has been read or left. */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const ended = this.#end.signal;
    const signal = request.signal ? AbortSignal.any([request.signal, ended]) : ended;
    const done = this.#begin();
    try {
      const response = await this.started.sender.send({ ...request, signal });
      return { ...response, body: whole(response.body, done) };
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Asks whether it is still there, and tells when it is not. */
  async check(): Promise<void> {
    const { clock, onSilence } = this.#options;
    const ended = this.#end.signal;
    if (ended.aborted) return;
    using limit = deadline(clock, PULSE_TIMEOUT, "a sign of life", ended);
    try {
      // On a connection of its own, as all others may be taken.
      const request = { method: "GET", path: PULSE, dedicated: true, signal: limit.signal } as const;
      const { body } = await this.started.sender.send(request);
      await readBody(body, PULSE_BYTES);
    } catch (error) {
      if (!ended.aborted) onSilence(messageOf(error));
    }
  }

  /** Breaks off what still runs. */
  end(why: string): void {
    this.#cancelPulse();
    this.#end.abort(new HttpFailure(`the session is over: ${why}`, { code: "ESESSION", sent: true }));
  }

  #begin(): () => void {
    const { clock, onRest } = this.#options;
    this.#running += 1;
    if (this.#running === 1) this.#pulse();
    let counted = true;
    return () => {
      if (!counted) return;
      counted = false;
      this.#running -= 1;
      this.#lastUsed = clock.monotonic();
      if (this.#running > 0) return;
      this.#cancelPulse();
      onRest();
    };
  }

  #pulse(): void {
    let cancelled = false;
    const cancel = this.#options.clock.after(PULSE_EVERY, async () => {
      await this.check();
      if (!cancelled) this.#pulse();
    });
    this.#cancelPulse = () => {
      cancelled = true;
      cancel();
    };
  }
}

async function* whole(body: AsyncIterable<Uint8Array>, done: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } finally {
    done();
  }
}
