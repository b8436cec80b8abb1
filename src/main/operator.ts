import { hostname } from "node:os";
import { setFlagsFromString } from "node:v8";
import manifest from "../../package.json" with { type: "json" };
import { webhooksName } from "../core/api.ts";
import type { Settings } from "../core/work/settings.ts";
import { removeWebhooks } from "../kube/admission/webhook_configuration.ts";
import { Informers } from "../kube/cache/informers.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { PodClient } from "../kube/client/pod_client.ts";
import { RightsWatch } from "../kube/client/rights_watch.ts";
import { connect } from "../kube/config/connect.ts";
import {
  aliveCheck,
  cacheCheck,
  doorCheck,
  leaderCheck,
  progressCheck,
  rightsCheck,
  startedChecks,
} from "../kube/controller/checks.ts";
import { Controller } from "../kube/controller/controller.ts";
import { debugHandler } from "../kube/controller/debug.ts";
import { fenced } from "../kube/controller/fenced.ts";
import { healthHandler } from "../kube/controller/health.ts";
import { LeaderElector } from "../kube/controller/leader.ts";
import { Manager } from "../kube/controller/manager.ts";
import type { Runnable } from "../kube/runnable.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { HttpsSender } from "../lib/https_sender.ts";
import { systemProcesses as processes } from "../lib/processes.ts";
import { systemRandom as random } from "../lib/random.ts";
import { messageOf } from "../lib/result.ts";
import { Metrics } from "../observe/metrics.ts";
import { pinoLogger } from "../observe/pino_logger.ts";
import { adoptedApis } from "./adopted_apis.ts";
import { apiEndpoints } from "./api_endpoints.ts";
import { APIS } from "./apis.ts";
import { cleanUp } from "./cleanup.ts";
import { compose } from "./compose.ts";
import { operatorAdmission } from "./operator_admission.ts";
import { operatorBudgets } from "./operator_budgets.ts";
import { operatorMetrics } from "./operator_metrics.ts";
import { LEASE, operatorSettings, telemetryResource } from "./operator_settings.ts";
import {
  andReconciled,
  andRunEnded,
  type OperatorTelemetry,
  operatorTelemetry,
} from "./operator_telemetry.ts";
import { served } from "./served.ts";

/*
 * The operator: watches the objects of every API that is switched on, and does what they ask for.
 * With `--cleanup` it does nothing but what is left to do once the operator is gone for good.
 * With `--remove-webhooks` it only takes its webhooks back: the first step of removing the product, as without
 * anybody who serves them they would refuse writes.
 */

const USER_AGENT = "holdfast-operator";

// It mostly waits, with many objects in memory.
setFlagsFromString("--optimize-for-size");

const { env } = process;
const settings = operatorSettings(env, manifest.version);
const instance = env.POD_NAME ?? hostname();
const metrics = new Metrics();
const telemetry =
  settings.telemetry.type === "push"
    ? operatorTelemetry({
        clock,
        random,
        settings: settings.telemetry.otlp,
        metrics: () => metrics.values(),
        resource: telemetryResource(env, { service: USER_AGENT, version: manifest.version, instance }),
      })
    : undefined;
const log = pinoLogger({
  level: settings.logLevel,
  format: settings.logFormat,
  ...(telemetry ? { alsoTo: telemetry.line } : {}),
});
const ports = { clock, random, log };

async function main(): Promise<void> {
  const { sender: plain, namespace, server } = await connect({ clock, processes, env });
  const sender = new RightsWatch(plain, { clock, log });
  const caller = { ...ports, sender, userAgent: USER_AGENT, observer: metrics.api };
  const client = new HttpClient(caller);
  const { usual, bulk } = operatorBudgets(clock);
  if (process.argv.includes("--remove-webhooks")) {
    for (const api of APIS) {
      const webhooks = webhooksName(api.name, settings.namespace);
      const removed = await removeWebhooks(client, webhooks);
      log.info({ webhooks }, removed ? "the webhooks are removed" : "there are no webhooks");
    }
    return sender.close();
  }
  const operatorNamespace = env.POD_NAMESPACE ?? namespace;
  const lease = { namespace: operatorNamespace, name: LEASE };
  const leader = new LeaderElector({ ...ports, client, lease, identity: `${instance}-${random.hex(4)}` });
  const isLeader = () => leader.isLeader();
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error(name)));
  if (process.argv.includes("--cleanup")) {
    const { namespace: only, adopt, removeCrdsOf: crdsOf, apis: served } = settings;
    const scope = { served, operatorNamespace, namespace: only, adopt, crdsOf };
    await cleanUp({ clock, log, client: fenced(client, isLeader), leader, signal: stop.signal, ...scope });
    return sender.close();
  }
  const informers = new Informers({ ...ports, client, observer: metrics.watch });
  const startAgain = (reason: string) => {
    log.warn({ reason }, "the operator starts again");
    stop.abort(new Error(reason));
  };
  const { apis, watches, checks } = await adoptedApis({ ...ports, client, settings, startAgain });
  const { apis: asked, namespace: only } = settings;
  const counters = operatorMetrics(metrics, {
    informers,
    isLeader,
    apis,
    asked,
    namespace: only,
  });
  const webhooks = operatorAdmission({
    ...ports,
    client,
    informers,
    operatorNamespace,
    settings: { ...settings, apis },
    observer: counters.admission,
    counters: counters.byApi,
  });
  const shared: Settings = {
    ...settings.shared,
    operatorNamespace,
    // Consents that nobody guards may be made up. Those that are made up meanwhile count once somebody does again.
    get guarded() {
      return webhooks.opened;
    },
  };
  const controllers = compose({
    ...ports,
    apis,
    client: fenced(new HttpClient({ ...caller, budget: usual }), isLeader),
    bulk: fenced(new HttpClient({ ...caller, budget: bulk }), isLeader),
    logs: fenced(new PodClient({ ...caller, budget: usual }), isLeader),
    connect: (place) => new HttpsSender(place),
    informers,
    settings: shared,
    instance,
    isLeader,
    observer: telemetry ? andReconciled(counters.controller, telemetry) : counters.controller,
    runs: telemetry ? andRunEnded(counters.runs, telemetry) : counters.runs,
    counters: counters.byApi,
    ...(settings.namespace ? { namespace: settings.namespace } : {}),
  });
  const endpoints = apiEndpoints(apis, { informers, settings: shared, clock, namespace: only });
  const working = controllers.filter(isController);
  for (const one of working) metrics.addQueue(one.name, one.queue);
  const { debugPort } = settings;
  const debug = debugHandler({
    caches: () => informers.caches(),
    queues: () => working.map(({ name, queue }) => [name, queue] as const),
    lease: () => ({ leads: isLeader(), holder: leader.holder }),
  });
  const manager: Manager = new Manager(ports)
    .add(
      "servers",
      served({
        log,
        name: "health",
        port: settings.healthPort,
        handler: healthHandler({
          live: () => [aliveCheck(manager), ...working.map((one) => progressCheck(one))],
          ready: () => [
            ...startedChecks(manager),
            leaderCheck(leader),
            doorCheck(webhooks),
            rightsCheck(sender),
            ...checks,
            ...Array.from(informers.caches(), ([name, cache]) => cacheCheck(name, cache)),
          ],
          metrics: { contentType: metrics.contentType, text: () => metrics.text() },
          more: endpoints,
        }),
      }),
      ...(debugPort === undefined
        ? []
        : [served({ log, name: "debug", host: "127.0.0.1", port: debugPort, handler: debug })]),
      ...(telemetry ? [pushing(telemetry)] : []),
      ...watches,
    )
    .add("webhooks", webhooks)
    .add("caches", informers)
    .add("leader", leader)
    .add("elected", ...controllers);
  if (settings.telemetry.type === "problem") {
    log.error({ error: settings.telemetry.problem }, "telemetry is not pushed");
  }
  log.info({ server, lease, image: settings.shared.moverImage }, "starting");
  try {
    await manager.run(stop.signal);
  } finally {
    sender.close();
  }
}

const pushing = (telemetry: OperatorTelemetry): Runnable => ({
  name: "telemetry",
  async run(signal, ready) {
    ready();
    await telemetry.push(log, signal);
  },
});

const isController = (part: unknown): part is Controller => part instanceof Controller;

await main().catch((error: unknown) => {
  log.error({ error: messageOf(error) }, "the operator has to stop");
  process.exitCode = 1;
});
