import type { Repository } from "../../engines/engine.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/result.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { SessionWork } from "../../wire/work.ts";
import { endingOf } from "../failure.ts";
import type { Reporter } from "../report/reporter.ts";
import { Answers, json, refusal } from "./answers.ts";
import { readKeys } from "./keys.ts";
import type { Listen, Request, Send } from "./listening.ts";
import { invalid, questionOf } from "./question.ts";

/** Each may run an engine, with its memory. */
const AT_ONCE = 6;
const IDLE_SECONDS = 300;
const END_MS = 1500;

export interface SessionOptions {
  readonly work: SessionWork;
  readonly repository: Repository;
  readonly clock: Clock;
  readonly listen: Listen;
  readonly reporter: Reporter;
  /** Ends the session: that is how sessions end, and no failure. */
  readonly signal: AbortSignal;
}

/** Answers questions until nobody asked any for a while, or the signal aborts. Returns how many there were. */
export async function runSession({ work, listen, reporter, ...options }: SessionOptions): Promise<number> {
  const { clock, signal } = options;
  const session = new Session(options, reporter);
  const { port, folder } = work.listen.tls;
  const at = { port, ...(await readKeys(folder)) };
  const listening = await listen(at, (request, send) => session.take(request, send)).catch((cause) => {
    throw new EngineError("EngineFailed", `the session cannot listen: ${messageOf(cause)}`, { cause });
  });
  reporter.progress("session");
  try {
    await session.idle(clock, (work.idleSeconds ?? IDLE_SECONDS) * 1000, signal);
  } finally {
    await session.end(clock);
    await listening.close();
  }
  return session.requests;
}

class Session {
  requests = 0;
  readonly #answers: Answers;
  readonly #reporter: Reporter;
  readonly #ending = new AbortController();
  #running = 0;
  #onChange = () => {};

  constructor({ repository, clock }: Pick<SessionOptions, "repository" | "clock">, reporter: Reporter) {
    this.#answers = new Answers(repository, clock);
    this.#reporter = reporter;
  }

  async take(request: Request, send: Send): Promise<void> {
    this.requests += 1;
    if (this.#running >= AT_ONCE) {
      const busy = new EngineError("Unreachable", `the session is busy with ${AT_ONCE} requests`, {
        remedy: "Ask again in a second.",
      });
      return send(json(503, busy, { "retry-after": "1" }));
    }
    this.#running += 1;
    this.#onChange();
    try {
      await this.#serve(request, send);
    } finally {
      this.#running -= 1;
      this.#onChange();
    }
  }

  /** Resolves when no request ran for so long, or when told to. */
  idle(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let cancel = () => {};
      this.#onChange = () => {
        cancel();
        if (this.#running === 0) cancel = clock.after(ms, resolve);
      };
      this.#onChange();
      const told = () => {
        cancel();
        resolve();
      };
      if (signal.aborted) told();
      signal.addEventListener("abort", told, { once: true });
    });
  }

  /** Cancels what still runs, and waits a moment for it. */
  end(clock: Clock): Promise<void> {
    this.#ending.abort(new Error("the session ends"));
    return new Promise((resolve) => {
      const cancel = clock.after(END_MS, resolve);
      this.#onChange = () => {
        if (this.#running > 0) return;
        cancel();
        resolve();
      };
      this.#onChange();
    });
  }

  async #serve({ method, path, query, signal: client }: Request, send: Send): Promise<void> {
    const signal = AbortSignal.any([client, this.#ending.signal]);
    try {
      if (method !== "GET")
        return await send(json(405, invalid("sessions only answer GET"), { allow: "GET" }));
      const question = questionOf(path, query);
      if (question === undefined)
        return await send(json(404, invalid(`a session has nothing at ${path.slice(0, 256)}`)));
      return await send(await this.#answers.to(question, signal));
    } catch (error) {
      const { failure } = endingOf(error, signal);
      if (failure.class === "EngineFailed") this.#reporter.log("warn", failure.message);
      await send(refusal(failure));
    }
  }
}
