import type { HttpRequest, HttpResponse, HttpSender } from "../../../../lib/http.ts";

export class Killed extends Error {
  override name = "Killed";
}

/** At which write a process is killed, and whether the server still got it. */
export interface Death {
  readonly at: number;
  readonly carriedOut: boolean;
}

/** Dies at a write, as a process that is killed: nothing comes after it. */
export class MortalSender implements HttpSender {
  readonly #sender: HttpSender;
  readonly #death: Death;
  #writes = 0;

  constructor(sender: HttpSender, death: Death) {
    this.#sender = sender;
    this.#death = death;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const isWrite = request.method !== "GET";
    if (isWrite) this.#writes++;
    const { at, carriedOut } = this.#death;
    if (this.#writes < at) return this.#sender.send(request);
    if (carriedOut && isWrite && this.#writes === at) {
      for await (const _ of (await this.#sender.send(request)).body) break;
    }
    throw new Killed("killed by the test");
  }

  close(): void {}
}

/** Whether work ended because its process was killed. */
export async function wasKilled(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}
