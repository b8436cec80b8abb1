import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { consoleApp } from "../cli/console/console_app.ts";
import { namespaceOf, Oidc } from "../cli/console/oidc.ts";
import { served } from "../cli/console/served.ts";
import type { Cluster } from "../cli/frame/command.ts";
import { FileCertificates } from "../kube/admission/file_certificates.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { PodClient } from "../kube/client/pod_client.ts";
import { serverVersion } from "../kube/client/server_version.ts";
import { AuthorizedSender } from "../kube/config/authorized_sender.ts";
import { fixedCredentials } from "../kube/config/credentials.ts";
import { healthHandler } from "../kube/controller/health.ts";
import { systemClock as clock, sleep } from "../lib/clock.ts";
import { HttpsSender } from "../lib/https_sender.ts";
import { listen } from "../lib/https_server.ts";
import { systemRandom as random } from "../lib/random.ts";
import { messageOf } from "../lib/result.ts";
import { pinoLogger } from "../observe/pino_logger.ts";
import { cliOperatorRules } from "./cli_operator_rules.ts";
import { cliSessionRequest } from "./cli_session_request.ts";
import { consoleSettings } from "./console_settings.ts";
import { VIEWS } from "./views.ts";

/* The console on a cluster: people sign in, and everything is asked with what they showed. It has no rights of its own. */

const { env } = process;
const settings = consoleSettings(env);
const log = pinoLogger({ level: settings.logLevel, format: settings.logFormat });
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error(name)));

/** Streams of open pages are requests, too. */
const LIMITS = { requests: 512, body: 64 * 2 ** 10 };
/** How often certificates are read again, in milliseconds. */
const REREAD = 60_000;
/** What is under way at the end is cut off after this, in milliseconds. */
const GRACE = 5_000;

async function connect(token: string): Promise<Cluster & Disposable> {
  const { url, ca } = settings.apiServer;
  const credentials = fixedCredentials({ headers: { authorization: `Bearer ${token}` } });
  const sender = new AuthorizedSender(credentials, () => new HttpsSender({ url, tls: { ca } }));
  const options = { sender, clock, random, userAgent: "holdfast-console", patience: 2_000 };
  return {
    client: new HttpClient(options),
    pods: new PodClient(options),
    version: (signal) => serverVersion(sender, signal),
    namespace: namespaceOf(token) ?? "default",
    server: url,
    [Symbol.dispose]: () => sender.close(),
  };
}

const { certificateFolder: folder, address, oidc, oidcCa } = settings;
const reach = (url: string) => new HttpsSender({ url, ...(oidcCa ? { tls: { ca: oidcCa } } : {}) });
const certificates = folder
  ? new FileCertificates({ cert: join(folder, "tls.crt"), key: join(folder, "tls.key") })
  : undefined;
await certificates?.refresh();

const app = consoleApp({
  ports: {
    clock,
    random,
    version: manifest.version,
    env: {},
    log,
    views: async () => VIEWS,
    operatorRules: async (...operator) => cliOperatorRules(...operator),
    sessionRequest: cliSessionRequest,
  },
  ways: {
    type: "cluster",
    connect,
    ...(oidc ? { oidc: new Oidc(oidc, { clock, random, reach }) } : {}),
  },
  page: settings.page,
  // Without an own certificate something before it speaks TLS, or nobody gets a cookie.
  secure: true,
  ...(address ? { address } : {}),
  signal: stop.signal,
});

const health = await listen({
  port: settings.healthPort,
  handler: healthHandler({ live: () => [], ready: () => [] }),
});
const server = await listen({
  port: settings.port,
  ...(certificates ? { tls: () => certificates.identity } : {}),
  handler: served(app.fetch, "https"),
  limits: LIMITS,
  onError: (error) => log.error({ error: messageOf(error) }, "a request failed"),
});
log.info({ port: server.port, version: manifest.version }, "the console serves");

while (!stop.signal.aborted) {
  await sleep(clock, REREAD, stop.signal).catch(() => {});
  if (!certificates || stop.signal.aborted) continue;
  try {
    await certificates.refresh(stop.signal);
    server.reloadTls();
  } catch (error) {
    log.warn({ error: messageOf(error) }, "the certificates stay as they were");
  }
}
const cut = new AbortController();
clock.after(GRACE, () => cut.abort());
await Promise.all([server.close(cut.signal), health.close(cut.signal), app[Symbol.asyncDispose]()]);
process.exit(0);
