import { once } from "node:events";
import { rmSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setFlagsFromString } from "node:v8";
import { systemClock as clock } from "../lib/clock.ts";
import { systemRandom as random } from "../lib/random.ts";
import { systemStreamedProcesses as processes } from "../lib/streamed_process.ts";
import { engineMaker } from "../mover/engine_maker.ts";
import { runMover } from "../mover/mover.ts";
import type { Listen, Request, Send } from "../mover/session/listening.ts";

/* The program in a mover's pod: it does the work of one work spec, reports, and ends. */

// It mostly waits for the engine, which shares the pod's memory with it.
setFlagsFromString("--optimize-for-size");

const { env } = process;
const stop = new AbortController();
// Also a second one: without a listener it would end the process before the engine has cleaned up.
for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => stop.abort(new Error(name)));

// When nobody reads the report any more, the work goes on: its result is in the termination message.
process.stdout.on("error", () => {});

/** Loads HTTP, and TLS where it is asked for, with the first session only. */
const listen: Listen = async (at, onRequest) => {
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    onRequest(requestOf(request, response), (answer) => write(response, answer)).catch(() =>
      response.destroy(),
    );
  };
  const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000 };
  const server =
    "tls" in at
      ? (await import("node:https")).createServer(
          { ...limits, ...at.tls, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" },
          handle,
        )
      : (await import("node:http")).createServer(limits, handle);
  server.maxConnections = 32;
  const listening = once(server, "listening");
  if ("tls" in at) server.listen({ port: at.tls.port });
  else listenAlone(server, at.socket.path);
  await listening;
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** On a socket that nobody else may open, in the place of one that a killed mover left. */
function listenAlone(server: Server, path: string): void {
  rmSync(path, { force: true });
  const before = process.umask(0o177);
  server.listen({ path });
  process.umask(before);
}

function requestOf({ method = "GET", url = "/" }: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("the client has gone away")));
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  return { method, path, query: new URLSearchParams(mark < 0 ? "" : url.slice(mark)), signal: gone.signal };
}

async function write(
  response: ServerResponse,
  { status, headers, body }: Parameters<Send>[0],
): Promise<void> {
  if (response.destroyed) return;
  response.writeHead(status, headers);
  const parts = typeof body === "string" || body instanceof Uint8Array ? [Buffer.from(body)] : body;
  await pipeline(Readable.from(parts, { objectMode: false }), response);
}

process.exit(
  await runMover({
    env,
    clock,
    makeEngine: engineMaker({ env, processes, clock, random }),
    write: (line) => void process.stdout.write(line),
    signal: stop.signal,
    listen,
  }),
);
