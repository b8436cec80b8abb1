import { createServer, connect as dial, type Server, type Socket } from "node:net";

/** A way to a server that can be cut, or made to swallow everything without a word. */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #silent = false;
  port = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(host: string, port: number): Promise<TcpProxy> {
    const server = createServer({ pauseOnConnect: true });
    const proxy = new TcpProxy(server);
    server.on("connection", (near) => proxy.#join(near, dial(port, host)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    proxy.port = (server.address() as { port: number }).port;
    return proxy;
  }

  /** Open connections stay open, and nothing passes them any more; new ones pass. */
  silence(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far);
      far.unpipe(near);
      near.pause();
      far.pause();
    }
  }

  /** New connections are accepted and swallowed too. */
  set silent(value: boolean) {
    this.#silent = value;
    if (value) this.silence();
  }

  /** Breaks every connection. */
  cut(): void {
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(near: Socket, far: Socket): void {
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        near.destroy();
        far.destroy();
        this.#pairs.delete(pair);
      });
    }
    if (this.#silent) return;
    near.pipe(far);
    far.pipe(near);
  }
}
