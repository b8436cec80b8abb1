import { HttpFailure, type WebSocketConnection } from "../lib/http.ts";

/** One end of a connection within this process. */
export interface SocketEnd extends WebSocketConnection {
  /** Breaks the connection: whoever reads at this end is told why, the other end only that it ended. */
  cut(reason: unknown): void;
}

/** Two ends of one connection: what one sends, the other reads. A reader that is slow holds the sender back. */
export function socketPair(protocol: string): { readonly client: SocketEnd; readonly server: SocketEnd } {
  const up = new Channel();
  const down = new Channel();
  return { client: end(protocol, down, up), server: end(protocol, up, down) };
}

function end(protocol: string, incoming: Channel, outgoing: Channel): SocketEnd {
  return {
    protocol,
    messages: incoming.read(() => outgoing.end()),
    send: (data) => outgoing.write(data),
    close: () => outgoing.end(),
    cut(reason) {
      incoming.end(reason);
      outgoing.end();
    },
  };
}

/** Messages in one direction. */
class Channel {
  readonly #waiting: Uint8Array[] = [];
  #over: { readonly reason?: unknown } | undefined;
  #wake = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();

  async write(data: Uint8Array): Promise<void> {
    if (this.#over)
      throw new HttpFailure("the other side has closed the connection", { code: "EPIPE", sent: true });
    this.#waiting.push(Uint8Array.from(data));
    this.#wake.resolve();
    await this.#taken.promise;
  }

  end(reason?: unknown): void {
    this.#over ??= { reason };
    this.#wake.resolve();
    this.#taken.resolve();
  }

  async *read(left: () => void): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const data = this.#waiting.shift();
        if (data) {
          this.#taken.resolve();
          this.#taken = Promise.withResolvers();
          yield data;
        } else if (this.#over) {
          if (this.#over.reason !== undefined) throw this.#over.reason;
          return;
        } else {
          await this.#wake.promise;
          if (!this.#over) this.#wake = Promise.withResolvers();
        }
      }
    } finally {
      this.end();
      left();
    }
  }
}
