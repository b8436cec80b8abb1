import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenedSession } from "../../../src/cli/session/open_session.ts";
import { SeatedSender } from "../../../src/cli/session/seated_sender.ts";
import { SessionClient } from "../../../src/core/work/session/session_client.ts";
import type { HttpResponse, HttpSender } from "../../../src/lib/http.ts";
import { VirtualClock } from "../../../src/lib/virtual_clock.ts";
import { Reporter } from "../../../src/mover/report/reporter.ts";
import type { Listen } from "../../../src/mover/session/listening.ts";
import { runSession } from "../../../src/mover/session/session.ts";
import { FakeRepository } from "../../../src/mover/testing/fake_engine.ts";

export interface RealSession extends OpenedSession {
  readonly repository: FakeRepository;
  /** As many requests were refused for want of room. */
  readonly refused: () => number;
}

/** A mover's own session, with its own limits, in front of an engine in memory that takes a moment for everything. */
export async function realSession(repository = new FakeRepository()): Promise<RealSession> {
  const stop = new AbortController();
  const clock = new VirtualClock();
  const folder = mkdtempSync(join(tmpdir(), "session-keys-"));
  for (const name of ["ca.crt", "tls.crt", "tls.key"]) writeFileSync(join(folder, name), "PEM");
  repository.fail = () => new Promise((resolve) => setImmediate(resolve));
  const listening = Promise.withResolvers<Parameters<Listen>[1]>();
  const ended = runSession({
    work: { listen: { tls: { port: 1, folder } } },
    repository,
    clock,
    signal: stop.signal,
    reporter: new Reporter({ clock, write: () => {} }),
    listen: async (_, onRequest) => {
      listening.resolve(onRequest);
      return { close: async () => {} };
    },
  });
  const take = await listening.promise;
  let refused = 0;
  const sender: HttpSender = {
    close() {},
    send: ({ path: target, signal = stop.signal }) =>
      new Promise<HttpResponse>((resolve) => {
        const { pathname, searchParams: query } = new URL(target, "http://session");
        void take({ method: "GET", path: pathname, query, signal }, async ({ status, body }) => {
          if (status === 503) refused += 1;
          const read = Promise.withResolvers<void>();
          resolve({ status, headers: {}, body: told(body, read.resolve) });
          await read.promise;
        });
      }),
  };
  return {
    client: new SessionClient(new SeatedSender(sender)),
    repository,
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function* told(
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  onEnd: () => void,
): AsyncIterable<Uint8Array> {
  try {
    if (typeof body === "string") yield Buffer.from(body);
    else if (body instanceof Uint8Array) yield body;
    else yield* body;
  } finally {
    onEnd();
  }
}
