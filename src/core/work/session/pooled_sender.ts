import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "../../../lib/http.ts";
import type { LiveSession } from "./live_session.ts";

/** How often a question is asked. The first session may have ended, and its successor as well. */
const TRIES = 3;

/**
 * Sends each request to the session of the moment, so that whoever asks need not know that a session ends when idle,
 * makes room for another, or dies with its pod. A question changes nothing, so it may be asked again.
 */
export class PooledSender implements HttpSender {
  readonly #take: (signal?: AbortSignal) => Promise<LiveSession>;
  #leave: () => void;

  /** `leave`: called once, when there are no further questions from here. */
  constructor(take: (signal?: AbortSignal) => Promise<LiveSession>, leave: () => void) {
    this.#take = take;
    this.#leave = leave;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    for (let tries = 1; ; tries++) {
      const session = await this.#take(request.signal);
      try {
        return await session.send(request);
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        await session.check();
        if (tries === TRIES) throw error;
      }
    }
  }

  close(): void {
    const leave = this.#leave;
    this.#leave = () => {};
    leave();
  }
}
