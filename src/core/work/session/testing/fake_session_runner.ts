import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "../../../../lib/http.ts";
import { unlessAborted } from "../../../../lib/unless_aborted.ts";
import type { SessionRequest } from "../session_request.ts";
import type { SessionRunner, SessionStartOptions, StartedSession } from "../session_runner.ts";

/** Sessions in memory, which live and die as told. Their repository is called as they are. */
export class FakeSessionRunner implements SessionRunner {
  readonly log: string[] = [];
  /** These accept questions and never answer. */
  readonly silent = new Set<string>();
  /** These do not accept any. */
  readonly refusing = new Set<string>();
  refuseAll = false;
  /** Silent ones give a sign of life. */
  pulse = false;
  pulses = 0;
  nextFails: Error | undefined;
  failure: Error | undefined;
  hold: Promise<void> | undefined;
  dieAtOnce = false;
  watched = false;
  /** The most that there were at once. */
  most = 0;
  readonly #live = new Map<string, SessionStartOptions>();
  #held: (() => void)[] = [];
  #count = 0;

  watch(): () => void {
    this.watched = true;
    return () => {
      this.watched = false;
    };
  }

  async start({ owner, namespace }: SessionRequest, options: SessionStartOptions): Promise<StartedSession> {
    this.#count += 1;
    const id = `${owner.name}-${this.#count}`;
    this.log.push(`start ${id}`);
    if (this.hold) {
      await unlessAborted(this.hold, options.signal).catch((error: unknown) => {
        this.log.push(`cleaned ${id}`);
        throw error;
      });
    }
    if (this.failure) throw this.failure;
    this.#live.set(id, options);
    this.most = Math.max(this.most, this.#live.size);
    if (this.dieAtOnce) this.die(id);
    return { namespace, id, sender: this.#sender(id) };
  }

  async end({ id }: StartedSession): Promise<void> {
    this.log.push(`end ${id}`);
    this.#live.delete(id);
  }

  die(id: string): void {
    this.#live.get(id)?.onEnd("its pod is gone");
  }

  /** Has the silent ones answer what they were asked. */
  answerHeld(): void {
    this.silent.clear();
    for (const answer of this.#held) answer();
    this.#held = [];
  }

  #sender(id: string): HttpSender {
    return {
      send: async (request) => {
        if (this.refuseAll || this.refusing.has(id)) {
          throw new HttpFailure("refused", { code: "ECONNREFUSED", sent: false });
        }
        if (request.dedicated) return this.#pulse(id, request);
        const failure = this.nextFails;
        this.nextFails = undefined;
        if (failure) throw failure;
        if (this.silent.has(id)) await this.#silence(request);
        return request.path.includes("/file") ? breaksOff(request) : answerOf(id);
      },
      close: () => {},
    };
  }

  async #pulse(id: string, request: HttpRequest): Promise<HttpResponse> {
    if (!this.pulse) return unlessAborted(new Promise<never>(() => {}), request.signal);
    this.pulses += 1;
    return answerOf(id);
  }

  #silence({ signal }: HttpRequest): Promise<void> {
    return unlessAborted(new Promise<void>((resolve) => this.#held.push(resolve)), signal);
  }
}

function answerOf(id: string): HttpResponse {
  return { status: 200, headers: {}, body: bytes(JSON.stringify({ version: 1, repository: id })) };
}

function breaksOff({ signal }: HttpRequest): HttpResponse {
  return { status: 200, headers: {}, body: bytes("first", unlessAborted(new Promise(() => {}), signal)) };
}

async function* bytes(text: string, rest?: Promise<unknown>): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
  await rest;
}
