import { connect, type OnReadOpts, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { HttpRequest, HttpResponse } from "./http.ts";
import { ResponseDecoder } from "./https_sender_decoder.ts";
import { http } from "./node_http.ts";

export interface StreamOptions {
  readonly host: string;
  readonly port: number;
  /** As the Host header names the server. */
  readonly authority: string;
  /** A plain connection when absent. */
  readonly tls?: ConnectionOptions;
  readonly onSocket: (socket: Socket) => void;
  /** What a broken connection is thrown as. */
  readonly failure: (cause: Error, sent: boolean) => Error;
}

const READ_SIZE = 64 * 2 ** 10;

/** Bytes that may wait for a slow reader before the server is told to pause. */
const HIGH_WATER = 2 ** 20;

/**
 * In a storm of events little comes, again and again. To wake up for each costs more than the event does: after
 * each time that something was read, as much time is given to what comes next to gather. The first events of a storm
 * are not held back.
 */
const GATHERING_MS = 25;
const LITTLE = 256 * 2 ** 10;
const STORM_TURNS = 4;

/**
 * One request on a connection of its own, for an answer that comes in many small pieces, such as a watch's. Node's
 * HTTP client and its streams cost about as much for each piece as parsing it does.
 */
export async function openStream(request: HttpRequest, options: StreamOptions): Promise<HttpResponse> {
  const { signal } = request;
  signal?.throwIfAborted();
  const head = headOf(request, options.authority);
  const decoder = new ResponseDecoder();
  const answered = Promise.withResolvers<HttpResponse>();
  let sent = false;
  let end: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  let turn: NodeJS.Immediate | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let lastTurn = Number.NEGATIVE_INFINITY;
  /** How often in a row there was something to read soon after the last time. */
  let quickTurns = 0;
  /** Nothing is read from the socket for a while. */
  let isHeld = false;

  const notify = () => {
    wake?.();
    wake = undefined;
  };
  const finish = (cause?: Error) => {
    if (end) return;
    if (signal?.aborted) end = { error: signal.reason };
    else end = cause ? { error: options.failure(cause, sent) } : {};
    signal?.removeEventListener("abort", onAbort);
    clearImmediate(turn);
    clearTimeout(gathering);
    socket.destroy();
    if ("error" in end) answered.reject(end.error);
    notify();
  };
  const onBytes = (size: number, buffer: Uint8Array): boolean => {
    if (end) return false;
    const hadHead = decoder.head !== undefined;
    try {
      decoder.add((buffer as Buffer).subarray(0, size));
    } catch (cause) {
      finish(cause as Error);
      return false;
    }
    const { head } = decoder;
    if (head && !hadHead) answered.resolve({ ...head, body });
    if (decoder.isComplete) finish();
    else turn ??= setImmediate(endTurn);
    isHeld ||= decoder.waiting >= HIGH_WATER;
    return !isHeld;
  };
  /** All that had arrived has been read. */
  const endTurn = () => {
    turn = undefined;
    // The server has written the rest of a chunk already: waking the reader for a part of it is not worth it.
    if (decoder.isWithinChunk && decoder.waiting < READ_SIZE) return;
    const now = performance.now();
    quickTurns = now - lastTurn < 2 * GATHERING_MS ? quickTurns + 1 : 0;
    lastTurn = now;
    const isStorm = quickTurns >= STORM_TURNS && decoder.waiting < LITTLE;
    notify();
    if (!isStorm) return;
    isHeld = true;
    socket.pause();
    gathering = setTimeout(() => {
      gathering = undefined;
      readOn();
    }, GATHERING_MS);
  };
  const readOn = () => {
    if (!isHeld || end || gathering || decoder.waiting >= HIGH_WATER) return;
    isHeld = false;
    socket.resume();
  };
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    while (decoder.waiting === 0 && !end) await new Promise<void>((resolve) => (wake = resolve));
    if (decoder.waiting > 0) {
      const value = decoder.take();
      readOn();
      return { done: false, value };
    }
    if (end && "error" in end) throw end.error;
    return { done: true, value: undefined };
  };
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    finish();
    return { done: true, value: undefined };
  };
  const body = { [Symbol.asyncIterator]: () => ({ next, return: leave }) };

  const { host, port, tls } = options;
  const onread: OnReadOpts = { buffer: Buffer.allocUnsafeSlow(READ_SIZE), callback: onBytes };
  const onConnect = () => {
    sent = true;
    socket.write(head, "latin1");
    if (request.body !== undefined) socket.write(request.body);
  };
  const socket: Socket = tls
    ? connectTls({ host, port, ...tls, onread } as ConnectionOptions, onConnect)
    : connect({ host, port, onread }, onConnect);
  const onAbort = () => finish();
  signal?.addEventListener("abort", onAbort, { once: true });
  socket.on("error", finish);
  socket.on("close", () => finish(decoder.end() ? undefined : brokenOff()));
  options.onSocket(socket);
  return answered.promise;
}

function brokenOff(): Error {
  return Object.assign(new Error("the connection ended before the answer did"), { code: "ECONNRESET" });
}

function headOf(request: HttpRequest, authority: string): string {
  if (/[^\x21-\x7e]/.test(request.path)) throw new TypeError("a path holds what no URL may hold");
  const headers: Record<string, string> = { host: authority, connection: "close", ...request.headers };
  if (request.body !== undefined) headers["content-length"] = String(Buffer.byteLength(request.body));
  const lines = Object.entries(headers).map(([name, value]) => {
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    return `${name}: ${value}\r\n`;
  });
  return `${request.method} ${request.path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
