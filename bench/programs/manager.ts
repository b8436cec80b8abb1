import {
  ConfigMaps,
  Deployments,
  Jobs,
  Leases,
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StatefulSets,
} from "../../src/kube/builtin.ts";
import type { Cache } from "../../src/kube/cache/cache.ts";
import { Informers } from "../../src/kube/cache/informers.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { connect } from "../../src/kube/config/connect.ts";
import { cacheCheck } from "../../src/kube/controller/checks.ts";
import { Controller, done } from "../../src/kube/controller/controller.ts";
import { healthHandler } from "../../src/kube/controller/health.ts";
import { LeaderElector } from "../../src/kube/controller/leader.ts";
import { Manager } from "../../src/kube/controller/manager.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { listen } from "../../src/lib/https_server.ts";
import { systemProcesses as processes } from "../../src/lib/processes.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { Metrics } from "../../src/observe/metrics.ts";
import { pinoLogger } from "../../src/observe/pino_logger.ts";

/*
 * An operator's frame with nothing in it: ten informers with a controller each, leader election, health, metrics,
 * logs. Says `ready` when every cache is synced; asked with SIGUSR2, what it has cost so far.
 */
const kinds: readonly Resource[] = [
  ConfigMaps,
  Deployments,
  Jobs,
  Leases,
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StatefulSets,
];
const [kubeconfig = "", namespace = ""] = process.argv.slice(2);
const log = pinoLogger({ level: "warn" });
const metrics = new Metrics();
const { sender } = await connect({ clock, processes, env: process.env, kubeconfig });
const client = new HttpClient({ sender, clock, random, observer: metrics.api });
const informers = new Informers({ client, clock, random, log, observer: metrics.watch });
metrics.addCaches(() => informers.caches());
const lease = { namespace, name: "bench" };
const elector = new LeaderElector({ client, clock, random, log, lease, identity: random.hex(4) });
metrics.addLeader(() => elector.isLeader());
const controllers = kinds.map((resource) => {
  const cache = informers.cache({ resource }) as Cache<KubeObject>;
  const controller = new Controller({
    name: resource.plural,
    reconcile: async () => done,
    clock,
    random,
    log,
    observer: metrics.controller,
  });
  metrics.addQueue(controller.name, controller.queue);
  return controller.watch(cache);
});
const stop = new AbortController();
process.on("SIGTERM", () => stop.abort());
process.on("SIGUSR2", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(
    `${JSON.stringify({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 2 ** 20 })}\n`,
  );
});
const ready = () => [...informers.caches()].map(([name, cache]) => cacheCheck(name, cache));
await new Manager({ clock, log })
  .add("servers", {
    name: "health",
    async run(signal, started) {
      const handler = healthHandler({ live: () => [], ready, metrics });
      const server = await listen({ host: "127.0.0.1", port: 0, handler });
      started();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await server.close();
    },
  })
  .add("caches", informers, {
    name: "announcement",
    async run(signal, started) {
      await informers.whenSynced(signal);
      process.stdout.write("ready\n");
      started();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  })
  .add("leader", elector)
  .add("elected", ...controllers)
  .run(stop.signal);
sender.close();
