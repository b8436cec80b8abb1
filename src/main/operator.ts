import { hostname } from "node:os";
import manifest from "../../package.json" with { type: "json" };
import { kopiurControllers } from "../apis/kopiur/kopiur.ts";
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
import { systemClock as clock } from "../lib/clock.ts";
import { listen } from "../lib/https_server.ts";
import { systemProcesses as processes } from "../lib/processes.ts";
import { systemRandom as random } from "../lib/random.ts";
import { messageOf } from "../lib/result.ts";
import { noWatchObserver } from "../observe/observers.ts";
import { pinoLogger } from "../observe/pino_logger.ts";
import { operatorSettings } from "./operator_settings.ts";

/* The operator: watches the objects of every API that is switched on, and does what they ask for. */

const { env } = process;
const settings = operatorSettings(env, manifest.version);
const log = pinoLogger({ level: settings.logLevel });
const ports = { clock, random, log };

async function main(): Promise<void> {
  const { sender, namespace, server } = await connect({ clock, processes, env });
  const client = new HttpClient({ ...ports, sender, userAgent: "holdfast-operator" });
  const instance = env.POD_NAME ?? hostname();
  const lease = { namespace: env.POD_NAMESPACE ?? namespace, name: "holdfast-operator" };
  const leader = new LeaderElector({ ...ports, client, lease, identity: `${instance}-${random.hex(4)}` });
  const isLeader = () => leader.isLeader();
  const informers = new Informers({ ...ports, client, observer: noWatchObserver });
  const controllers = kopiurControllers({
    ...ports,
    client: fenced(client, isLeader),
    logs: new PodClient({ ...ports, sender }),
    informers,
    settings: settings.kopiur,
    instance,
    isLeader,
    ...(settings.namespace ? { namespace: settings.namespace } : {}),
  });
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
        });
        const onError = (error: unknown) =>
          log.error({ error: messageOf(error) }, "a probe could not be answered");
        const front = await listen({ host: "0.0.0.0", port: settings.healthPort, handler: health, onError });
        ready();
        await aborted(signal);
        await front.close(AbortSignal.abort());
      },
    })
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

await main().catch((error: unknown) => {
  log.error({ error: messageOf(error) }, "the operator has to stop");
  process.exitCode = 1;
});
