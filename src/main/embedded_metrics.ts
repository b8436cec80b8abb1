import type { KopiurOptions } from "../apis/kopiur/kopiur.ts";
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
import type { Runnable } from "../kube/controller/runnable.ts";
import type { Logger } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import type { AdmissionObserver } from "../observe/observers.ts";
import { operatorMetrics } from "./operator_metrics.ts";
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
}

/** What the operator's port for metrics and health, and its debug port, tell: of the program for one machine, at one port. */
export class EmbeddedMetrics {
  readonly #metrics = new Metrics();
  readonly api = this.#metrics.api;
  readonly watch = this.#metrics.watch;

  /** Adds what there is to tell of the operator, and returns who is to be told. */
  observers(informers: Pick<Informers, "cache" | "caches">): Pick<KopiurOptions, "observer" | "tally"> & {
    readonly admission: AdmissionObserver;
  } {
    const counters = operatorMetrics(this.#metrics, { informers, isLeader: () => true, apis: ["kopiur"] });
    const { controller, admission } = this.#metrics;
    return {
      observer: counters?.controller ?? controller,
      admission: counters?.admission ?? admission,
      ...(counters ? { tally: counters.tally } : {}),
    };
  }

  server({ port, log, informers, parts, door, manager, holder }: EmbeddedServerOptions): Runnable {
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
