import type { Clock } from "../../lib/clock.ts";
import { HttpFailure } from "../../lib/http.ts";
import { ApiError, type Status } from "../api_error.ts";
import type { WatchEvent } from "../client.ts";
import type { KubeObject } from "../object.ts";
import { type ApiCall, describe } from "./api_call.ts";
import { projectedText } from "./projected_text.ts";

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** One line of a watch. Throws the ApiError that an ERROR event stands for. */
export function decodeEvent<T extends KubeObject>(line: Buffer, call: ApiCall): WatchEvent<T> {
  const event = JSON.parse(projectedText(line, call.plan)) as { type: string; object: T };
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return event as WatchEvent<T>;
    case "BOOKMARK":
      return {
        type: "BOOKMARK",
        resourceVersion: event.object.metadata.resourceVersion,
        initialEventsEnd: event.object.metadata.annotations?.[INITIAL_EVENTS_END] === "true",
      };
    case "ERROR": {
      // The plan is made for objects, and leaves little of a Status.
      const { object: status } = JSON.parse(line.toString("utf8")) as { object: Status };
      throw new ApiError({ request: describe(call), code: status.code ?? 500, status });
    }
    default:
      throw new ApiError({
        request: describe(call),
        code: 500,
        status: { message: `unknown watch event ${event.type}` },
      });
  }
}

export interface WatchdogOptions {
  readonly clock: Clock;
  /** Time to the first sign of life, in milliseconds. */
  readonly opening: number;
  /** Silence that is borne after that. */
  readonly idle: number;
  readonly signal?: AbortSignal | undefined;
}

/** Aborts when nothing was heard for too long, or when its parent does. */
export class Watchdog implements Disposable {
  readonly #controller = new AbortController();
  readonly #options: WatchdogOptions;
  #heard: number;
  #patience: number;
  #cancel: () => void = () => {};

  constructor(options: WatchdogOptions) {
    const { clock, opening, signal } = options;
    this.#options = options;
    this.#heard = clock.monotonic();
    this.#patience = opening;
    if (signal?.aborted) this.#onParent();
    else signal?.addEventListener("abort", this.#onParent, { once: true });
    this.#arm(opening);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The server has answered: from now on silence is judged by `idle`. */
  opened(): void {
    this.#patience = this.#options.idle;
    this.heard();
  }

  heard(): void {
    this.#heard = this.#options.clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#cancel();
    this.#options.signal?.removeEventListener("abort", this.#onParent);
  }

  readonly #onParent = (): void => this.#controller.abort(this.#options.signal?.reason);

  /** One timer that looks at the time of the last chunk, instead of one timer a chunk. */
  #arm(wait: number): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(wait, () => {
      const left = this.#heard + this.#patience - clock.monotonic();
      if (left > 0) return this.#arm(left);
      const message = `nothing was heard for ${this.#patience / 1000} s`;
      this.#controller.abort(new HttpFailure(message, { code: "ESILENT", sent: true }));
    });
  }
}
