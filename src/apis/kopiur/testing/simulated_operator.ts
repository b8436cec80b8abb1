import { SETTINGS } from "../../../core/testing/samples.ts";
import type { Tasks } from "../../../core/work/tasks.ts";
import type { Client } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import type { EventNote, EventRecorder } from "../../../kube/write/events.ts";
import type { Clock } from "../../../lib/clock.ts";
import { HttpFailure } from "../../../lib/http.ts";
import { seededRandom } from "../../../lib/random.ts";
import { silentLogger } from "../../../observe/log.ts";
import { kopiurCaches } from "../caches.ts";
import type { KopiurPorts } from "../ports.ts";
import type { SimulatedCache, SimulatedClient, SimulatedCluster } from "./simulated_cluster.ts";

/** What becomes of a request: it is answered, never arrives, or is carried out and the answer is lost. */
export type Fate = "answered" | "lost" | "unheard";

export interface SimulatedOperatorOptions {
  readonly cluster: SimulatedCluster;
  readonly clock: Clock;
  readonly controllers: (ports: KopiurPorts) => readonly Runnable[];
  /** Asked about every request. Default: all are answered. */
  readonly fate?: () => Fate;
  /** Whom events are told. Default: they are kept, for whoever asks. */
  readonly recorder?: Pick<EventRecorder, "event">;
}

/** Controllers of this API with caches of their own, until they are killed. */
export class SimulatedOperator {
  readonly events: EventNote[] = [];
  readonly #cluster: SimulatedCluster;
  readonly #caches: SimulatedCache<KubeObject>[] = [];
  readonly #end = new AbortController();

  constructor(options: SimulatedOperatorOptions) {
    const { cluster, clock, controllers, fate = () => "answered" } = options;
    const kept = { event: (_: unknown, note: EventNote) => void this.events.push(note) };
    this.#cluster = cluster;
    const informers = {
      cache: <T extends KubeObject>(request: Parameters<typeof cluster.cache<T>>[0]) => {
        const cache = cluster.cache(request);
        this.#caches.push(cache as unknown as SimulatedCache<KubeObject>);
        return cache;
      },
    };
    const ports = {
      client: shaky(cluster, () => (this.#end.signal.aborted ? "lost" : fate())) as Client,
      caches: kopiurCaches(informers),
      events: options.recorder ?? kept,
      tasks: {} as Tasks,
      clock,
      random: seededRandom(1),
      log: silentLogger,
      settings: SETTINGS,
      storesIn: () => new Map(),
    } as unknown as KopiurPorts;
    for (const part of controllers(ports)) {
      void part.run(this.#end.signal, () => {}, this.#end.signal);
    }
  }

  /** Ends it as a crash would. */
  kill(): void {
    this.#end.abort(new Error("killed"));
    for (const cache of this.#caches) this.#cluster.forget(cache);
  }

  /** Its caches hear of nothing, until they go on. */
  stall(): void {
    for (const cache of this.#caches) cache.stall();
  }

  goOn(): void {
    for (const cache of this.#caches) cache.goOn();
  }

  /** Its stalled caches hear of this object, and of nothing else. */
  tell(object: KubeObject): void {
    for (const cache of this.#caches) if (cache.resource.kind === object.kind) cache.put(object);
  }
}

function shaky(cluster: SimulatedCluster, fate: () => Fate): SimulatedClient {
  const through = async <R>(call: () => Promise<R>): Promise<R> => {
    const becomes = fate();
    if (becomes === "answered") return call();
    if (becomes === "unheard") await call();
    throw new HttpFailure("the connection broke", { code: "ECONNRESET", sent: becomes === "unheard" });
  };
  return {
    get: (resource, name) => through(() => cluster.get(resource, name)),
    list: (...args) => through(() => cluster.list(...args)),
    create: (resource, draft) => through(() => cluster.create(resource, draft)),
    patch: (...args) => through(() => cluster.patch(...args)),
    delete: (...args) => through(() => cluster.delete(...args)),
  };
}
