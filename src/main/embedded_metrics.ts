import type { Informers } from "../kube/cache/informers.ts";
import {
  aliveCheck,
  cacheCheck,
  doorCheck,
  progressCheck,
  startedChecks,
} from "../kube/controller/checks.ts";
import { Controller } from "../kube/controller/controller.ts";
import { debugHandler } from "../kube/controller/debug.ts";
import { healthHandler } from "../kube/controller/health.ts";
import type { Manager } from "../kube/controller/manager.ts";
import type { Runnable } from "../kube/runnable.ts";
import type { ServeRequest } from "../lib/https_server.ts";
import type { Logger } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import { APIS } from "./apis.ts";
import { type OperatorCounters, operatorMetrics } from "./operator_metrics.ts";
import { served } from "./served.ts";

const LOOPBACK = "127.0.0.1";

export interface EmbeddedServerOptions {
  readonly port: number;
  readonly log: Logger;
  readonly informers: Pick<Informers, "caches">;
  readonly parts: readonly Runnable[];
  readonly door: { readonly problem: string | undefined };
  readonly manager: () => Manager;
  /** Nobody competes with the program for one machine. */
  readonly holder: string;
  /** What APIs answer there, by path. */
  readonly endpoints: Readonly<Record<string, ServeRequest>>;
}

/** What the operator's port for metrics and health, and its debug port, tell: of the program for one machine, at one port. */
export class EmbeddedMetrics {
  readonly #metrics = new Metrics();
  readonly api = this.#metrics.api;
  readonly watch = this.#metrics.watch;

  /** Adds what there is to tell of the operator, and returns who is to be told. */
  counters(informers: Pick<Informers, "cache" | "caches" | "for">): OperatorCounters {
    return operatorMetrics(this.#metrics, { informers, isLeader: () => true, apis: APIS });
  }

  server({ port, log, informers, parts, door, manager, holder, endpoints }: EmbeddedServerOptions): Runnable {
    const metrics = this.#metrics;
    const working = parts.filter((part): part is Controller => part instanceof Controller);
    for (const one of working) metrics.addQueue(one.name, one.queue);
    const health = healthHandler({
      live: () => [aliveCheck(manager()), ...working.map((one) => progressCheck(one))],
      ready: () => [
        ...startedChecks(manager()),
        doorCheck(door),
        ...Array.from(informers.caches(), ([name, cache]) => cacheCheck(name, cache)),
      ],
      metrics: { contentType: metrics.contentType, text: () => metrics.text() },
      more: endpoints,
    });
    const debug = debugHandler({
      caches: () => informers.caches(),
      queues: () => working.map(({ name, queue }) => [name, queue] as const),
      lease: () => ({ leads: true, holder }),
    });
    const handler = (request: Parameters<typeof health>[0]) =>
      request.path === "/debug" ? debug(request) : health(request);
    return served({ log, name: "metrics", host: LOOPBACK, port, handler });
  }
}
