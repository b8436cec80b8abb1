import type { SecureContextOptions } from "node:tls";
import WebSocket from "ws";
import {
  HttpFailure,
  readBody,
  UpgradeRefused,
  type WebSocketConnection,
  type WebSocketRequest,
} from "./http.ts";

/** Opens a WebSocket. A refusal by the server carries the start of what it said. */
export function openWebSocket(
  url: string,
  request: WebSocketRequest,
  tls: SecureContextOptions & { readonly servername?: string; readonly rejectUnauthorized: true },
): Promise<WebSocketConnection> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    let sent = false;
    const socket = new WebSocket(url, [...request.protocols], {
      ...tls,
      headers: { ...request.headers },
      perMessageDeflate: false,
      finishRequest(outgoing) {
        outgoing.once("socket", (connecting) => {
          connecting.once(url.startsWith("wss:") ? "secureConnect" : "connect", () => (sent = true));
        });
        outgoing.end();
      },
    });
    const onAbort = () => socket.terminate();
    signal?.addEventListener("abort", onAbort, { once: true });
    const connection = connectionOf(socket, signal);
    socket.once("open", () => resolve({ ...connection, protocol: socket.protocol }));
    socket.once("unexpected-response", async (_, response) => {
      const said = await readBody(response, 64 * 1024).then(String, () => "");
      socket.terminate();
      reject(new UpgradeRefused(response.statusCode ?? 0, said, response.headers["retry-after"]));
    });
    socket.on("error", (cause: NodeJS.ErrnoException) => {
      reject(
        signal?.aborted
          ? signal.reason
          : new HttpFailure(cause.message, { code: cause.code ?? "EUNKNOWN", sent, cause }),
      );
    });
    socket.once("close", () => signal?.removeEventListener("abort", onAbort));
  });
}

/** Without a status some clients take the end for a failure. */
const NORMAL_CLOSURE = 1000;

/** Either end of a WebSocket, from now on. Its protocol is known once it is open. */
export function connectionOf(socket: WebSocket, signal: AbortSignal | undefined): WebSocketConnection {
  return {
    protocol: socket.protocol,
    messages: messageStream(socket, signal),
    send: (data) =>
      new Promise((sent, failed) => {
        socket.send(data, (error) =>
          error
            ? failed(new HttpFailure(error.message, { code: "EPIPE", sent: true, cause: error }))
            : sent(),
        );
      }),
    close: () => socket.close(NORMAL_CLOSURE),
  };
}

/** How many bytes may wait for a slow reader before the peer is told to pause. */
const HIGH_WATER = 4 * 2 ** 20;

function messageStream(socket: WebSocket, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  const waiting: Uint8Array[] = [];
  let bytes = 0;
  let ended = false;
  let failed: Error | undefined;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  socket.on("message", (data) => {
    const chunk = Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data as ArrayBuffer | Buffer);
    waiting.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > HIGH_WATER) socket.pause();
    notify();
  });
  socket.on("error", (error) => {
    failed = error;
    notify();
  });
  socket.on("close", () => {
    ended = true;
    notify();
  });
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const chunk = waiting.shift();
          if (chunk) {
            bytes -= chunk.byteLength;
            if (socket.isPaused && bytes <= HIGH_WATER) socket.resume();
            yield chunk;
          } else if (failed) {
            throw new HttpFailure(failed.message, { code: "ECONNRESET", sent: true, cause: failed });
          } else if (ended) {
            signal?.throwIfAborted();
            return;
          } else {
            await new Promise<void>((resolve) => (wake = resolve));
          }
        }
      } finally {
        socket.terminate();
      }
    },
  };
}
