import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ServedRequest, ServedResponse } from "./https_server.ts";
import { http } from "./node_http.ts";

/** Writes a stream at the reader's pace. One that fails cuts the connection: the client must not take it for whole. */
export async function pour(body: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await writable(response);
  }
  response.end();
}

function writable(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}

/** An answer in plain words. */
export function text(status: number, message: string): ServedResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${message}\n` };
}

/** An answer to who asked for a WebSocket: the connection is a bare one by then. */
export async function refuse(socket: Socket, { status, headers, body }: ServedResponse): Promise<void> {
  const parts: Uint8Array[] = [];
  if (typeof body === "string" || body instanceof Uint8Array) parts.push(Buffer.from(body));
  else for await (const part of body) parts.push(part);
  const content = Buffer.concat(parts);
  const lines = Object.entries({
    ...headers,
    "content-length": String(content.length),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), content]));
}

/** A request without what comes later. */
export function headOf(request: IncomingMessage): Omit<ServedRequest, "body" | "signal"> {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  return {
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)),
    headers: headersOf(request),
  };
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

/** The body, unless it is larger than the limit or its sender has gone away. */
export function readWithin(
  request: IncomingMessage,
  limit: number,
): Promise<Uint8Array | "too large" | "gone"> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return Promise.resolve("too large");
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.byteLength;
      if (size <= limit) return void chunks.push(chunk);
      chunks.length = 0;
      resolve("too large");
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("close", () => resolve("gone"));
  });
}
