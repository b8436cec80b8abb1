import { hostname } from "node:os";
import { setFlagsFromString } from "node:v8";
import manifest from "../../package.json" with { type: "json" };
import { kopiurWebhooksName } from "../apis/kopiur/admission/kopiur_admission.ts";
import { kopiurControllers } from "../apis/kopiur/kopiur.ts";
import { kopiurGauges } from "../apis/kopiur/kopiur_gauges.ts";
import { removeWebhooks } from "../kube/admission/webhook_configuration.ts";
import { Informers } from "../kube/cache/informers.ts";
import { HttpClient } from "../kube/client/http_client.ts";
import { PodClient } from "../kube/client/pod_client.ts";
import { connect } from "../kube/config/connect.ts";
import { aliveCheck, cacheCheck, progressCheck, startedChecks } from "../kube/controller/checks.ts";
import { Controller } from "../kube/controller/controller.ts";
import { fenced } from "../kube/controller/fenced.ts";
import { healthHandler } from "../kube/controller/health.ts";
import { LeaderElector } from "../kube/controller/leader.ts";
import { Manager } from "../kube/controller/manager.ts";
import { aborted } from "../lib/aborted.ts";
import { systemClock as clock } from "../lib/clock.ts";
import { HttpsSender } from "../lib/https_sender.ts";
import { listen } from "../lib/https_server.ts";
import { systemProcesses as processes } from "../lib/processes.ts";
import { systemRandom as random } from "../lib/random.ts";
import { messageOf } from "../lib/result.ts";
import { TokenBucket } from "../lib/token_bucket.ts";
import { Metrics } from "../observe/metrics.ts";
import { pinoLogger } from "../observe/pino_logger.ts";
import { operatorDoor } from "./operator_door.ts";
import { operatorSettings } from "./operator_settings.ts";

/*
 * The operator: watches the objects of every API that is switched on, and does what they ask for.
 * With `--remove-webhooks` it only takes its webhooks back: the first step of removing the product, as without
 * anybody who serves them they would refuse writes.
 */

const USER_AGENT = "holdfast-operator";
/** What controllers may ask of the API server. Leases, caches and webhooks do not wait for them. */
const BUDGET = { perSecond: 75, burst: 20 };

// It mostly waits, with many objects in memory.
setFlagsFromString("--optimize-for-size");

const { env } = process;
const settings = operatorSettings(env, manifest.version);
const log = pinoLogger({ level: settings.logLevel });
const ports = { clock, random, log };

async function main(): Promise<void> {
  const { sender, namespace, server } = await connect({ clock, processes, env });
  const client = new HttpClient({ ...ports, sender, userAgent: USER_AGENT });
  const budget = new TokenBucket(BUDGET, clock);
  const webhooks = kopiurWebhooksName(settings.namespace);
  if (process.argv.includes("--remove-webhooks")) {
    const removed = await removeWebhooks(client, webhooks);
    log.info({ webhooks }, removed ? "the webhooks are removed" : "there are no webhooks");
    return sender.close();
  }
  const instance = env.POD_NAME ?? hostname();
  const operatorNamespace = env.POD_NAMESPACE ?? namespace;
  const lease = { namespace: operatorNamespace, name: "holdfast-operator" };
  const leader = new LeaderElector({ ...ports, client, lease, identity: `${instance}-${random.hex(4)}` });
  const isLeader = () => leader.isLeader();
  const metrics = new Metrics();
  const informers = new Informers({ ...ports, client, observer: metrics.watch });
  metrics.addCaches(() => informers.caches());
  metrics.addLeader(isLeader);
  for (const gauge of kopiurGauges(informers, settings.namespace)) metrics.gauge(gauge);
  const kopiur = { ...settings.kopiur, operatorNamespace };
  const controllers = kopiurControllers({
    ...ports,
    client: fenced(new HttpClient({ ...ports, sender, budget, userAgent: USER_AGENT }), isLeader),
    logs: new PodClient({ ...ports, sender }),
    connect: (place) => new HttpsSender(place),
    informers,
    settings: kopiur,
    instance,
    isLeader,
    observer: metrics.controller,
    ...(settings.namespace ? { namespace: settings.namespace } : {}),
  });
  for (const one of controllers.filter(isController)) metrics.addQueue(one.name, one.queue);
  const manager = new Manager(ports)
    .add("servers", {
      name: "health",
      async run(signal, ready) {
        const health = healthHandler({
          live: () => [
            aliveCheck(manager),
            ...controllers.filter(isController).map((one) => progressCheck(one)),
          ],
          ready: () => [
            ...startedChecks(manager),
            ...Array.from(informers.caches(), ([name, cache]) => cacheCheck(name, cache)),
          ],
          metrics: { contentType: metrics.contentType, text: () => metrics.text() },
        });
        const onError = (error: unknown) =>
          log.error({ error: messageOf(error) }, "a probe could not be answered");
        const front = await listen({ host: "0.0.0.0", port: settings.healthPort, handler: health, onError });
        ready();
        await aborted(signal);
        await front.close(AbortSignal.abort());
      },
    })
    .add("webhooks", await operatorDoor({ ...ports, client, informers, operatorNamespace, settings }))
    .add("caches", informers)
    .add("leader", leader)
    .add("elected", ...controllers);
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort(new Error(name)));
  log.info({ server, lease, image: settings.kopiur.moverImage }, "starting");
  try {
    await manager.run(stop.signal);
  } finally {
    sender.close();
  }
}

const isController = (part: unknown): part is Controller => part instanceof Controller;

await main().catch((error: unknown) => {
  log.error({ error: messageOf(error) }, "the operator has to stop");
  process.exitCode = 1;
});
