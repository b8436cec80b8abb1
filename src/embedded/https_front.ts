import { timingSafeEqual } from "node:crypto";
import { type Clock, sleep } from "../lib/clock.ts";
import type { Listen, RunningServer, ServeRequest, ServeSocket, TlsIdentity } from "../lib/https_server.ts";
import { type Logger, silentLogger } from "../observe/log.ts";
import { json } from "./api/answer.ts";
import { MAX_BODY } from "./api/api_server.ts";
import { Refusal, tooLarge } from "./api/refusal.ts";

export interface HttpsFrontOptions {
  readonly listen: Listen;
  /** Default 0: a free one. */
  readonly port?: number;
  readonly tls: () => TlsIdentity;
  /** Whoever has it may do everything. */
  readonly token: string;
  /** As ControlPlane.handle is. */
  readonly handle: ServeRequest;
  /** As ControlPlane.connect is. Without it nobody gets a WebSocket. */
  readonly connect?: ServeSocket;
  readonly log?: Logger;
}

/** The API refuses what is larger than it takes itself; this only bounds what it has to look at. */
const LARGEST_BODY = 16 * 2 ** 20;

/** Watches stay open: each client has a few of them. */
const REQUESTS_AT_ONCE = 4096;

/** What anybody may ask, as on a cluster. */
const PUBLIC = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** Serves the API over HTTPS, on the loopback interface alone, to whoever has the token. */
export function serveHttps(options: HttpsFrontOptions): Promise<RunningServer> {
  const { listen, port = 0, tls, token, handle, connect, log = silentLogger } = options;
  const unauthorized = new Refusal(401, "Unauthorized", "Unauthorized");
  const handler: ServeRequest = (request) => {
    const { authorization } = request.headers;
    const allowed = authorization === undefined ? PUBLIC.test(request.path) : bears(authorization, token);
    return allowed ? handle(request) : json(unauthorized.code, unauthorized.status);
  };
  const guarded =
    (serve: ServeSocket): ServeSocket =>
    async (request, protocols) =>
      bears(request.headers.authorization ?? "", token)
        ? serve(request, protocols)
        : json(unauthorized.code, unauthorized.status);
  return listen({
    host: "127.0.0.1",
    port,
    tls,
    handler,
    ...(connect ? { socket: guarded(connect) } : {}),
    tooLarge: json(413, tooLarge(MAX_BODY).status),
    limits: { body: LARGEST_BODY, requests: REQUESTS_AT_ONCE, connections: REQUESTS_AT_ONCE },
    onError: (error) => log.error({ err: error }, "the API server could not answer"),
  });
}

const DAY = 86_400_000;

/** Has the server show the identity of the day, until the signal aborts. One that fails to come is asked for again. */
export async function renewDaily(
  server: Pick<RunningServer, "reloadTls">,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    try {
      await sleep(clock, DAY, signal);
      server.reloadTls();
    } catch (error) {
      if (signal.aborted) return;
      log.error(
        { err: error },
        "the certificate of the API server could not be renewed; it is tried again in a day",
      );
    }
  }
}

function bears(authorization: string, token: string): boolean {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
  const [left, right] = [Buffer.from(given), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
