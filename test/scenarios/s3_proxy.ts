import {
  createServer,
  request as dial,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { pipeline } from "node:stream";

/**
 * What a server does: `well`, as it should; `away`, it refuses to talk; `slow`, it lets every answer wait; `failing`,
 * it answers that it has failed; `breaking`, it breaks connections off in the middle; `closing`, it ends every answer
 * after half of it, as if that were all; `hung`, it takes everything, and never answers.
 */
export type Manner = "well" | "away" | "slow" | "failing" | "breaking" | "closing" | "hung";

const SLOWNESS = 400;
const FAILED = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>InternalError</Code><Message>We encountered an internal error. Please try again.</Message></Error>`;

/** A way to an S3 server, that behaves as it is told. */
export class S3Proxy implements Disposable {
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #manner: Manner = "well";
  #served = 0;
  endpoint = "";
  /** From the first request or answer on that has more bytes than this, it behaves as `overtaxed`. */
  heaviest = Number.POSITIVE_INFINITY;
  overtaxed: Manner = "hung";

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.on("checkContinue", (request, response) => {
      response.writeContinue();
      this.#answer(request, response);
    });
    this.#server.on("connection", (socket) => {
      if (this.#manner === "away") return void socket.resetAndDestroy();
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async to(target: string, host: string): Promise<S3Proxy> {
    const proxy = new S3Proxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, host, resolve));
    proxy.endpoint = `http://${host}:${(proxy.#server.address() as AddressInfo).port}`;
    return proxy;
  }

  get manner(): Manner {
    return this.#manner;
  }

  set manner(manner: Manner) {
    this.#manner = manner;
    if (manner === "away" || manner === "breaking")
      for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#served += 1;
    this.#weigh(request);
    if (this.#manner === "hung") return void request.resume();
    if (this.#manner === "failing") {
      request.resume();
      response.writeHead(500, {
        "content-type": "application/xml",
        "content-length": Buffer.byteLength(FAILED),
      });
      return void response.end(request.method === "HEAD" ? undefined : FAILED);
    }
    if (this.#manner === "breaking" && this.#served % 2 === 0) {
      request.resume();
      return void setTimeout(() => request.socket.resetAndDestroy(), 20);
    }
    if (this.#manner === "slow") setTimeout(() => this.#pass(request, response), SLOWNESS);
    else this.#pass(request, response);
  }

  #weigh({ headers }: IncomingMessage): void {
    if (Number(headers["content-length"] ?? 0) > this.heaviest) this.manner = this.overtaxed;
  }

  /** The host's name stays the one that the client signed. */
  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { hostname, port } = this.#target;
    const { method, url, headers } = request;
    const { expect: _, ...rest } = headers;
    const onward = dial({ hostname, port, method, path: url, headers: rest });
    onward.on("error", () => request.socket.destroy());
    onward.on("response", (answer) => {
      this.#weigh(answer);
      // Whoever asked may have gone meanwhile.
      if (this.#manner === "hung" || response.destroyed) return void answer.resume();
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (this.#manner === "closing") halfOf(answer, request, response);
      else pipeline(answer, response, () => {});
    });
    pipeline(request, onward, () => {});
  }
}

/** Passes half of what was announced on, or nothing at all, and closes the connection. */
function halfOf(
  answer: IncomingMessage,
  { method, socket }: IncomingMessage,
  response: ServerResponse,
): void {
  // The answer to HEAD announces what never comes.
  const announced = method === "HEAD" ? 0 : Number(answer.headers["content-length"] ?? 0);
  const half = Math.floor(announced / 2);
  if (half === 0) {
    answer.resume();
    return void socket.end();
  }
  let left = half;
  answer.on("data", (chunk: Buffer) => {
    if (left > 0) response.write(chunk.subarray(0, left), () => left <= 0 && socket.end());
    left -= chunk.length;
  });
}
