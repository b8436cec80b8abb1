import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import type {
  AdmissionObserver,
  ApiObserver,
  QueueObserver,
  ReconcileObserver,
  WatchObserver,
} from "./observers.ts";
import type { MetricValues } from "./otlp/otlp_json.ts";

export type SampleLabels = Readonly<Record<string, string>>;

/** One series of a gauge: its labels, and its value now. */
export interface Sample {
  readonly labels?: SampleLabels;
  readonly value: number;
}

export interface GaugeOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** Its values only grow, as somebody else keeps count of them. Default false. */
  readonly counts?: boolean;
  /** Called at every scrape; what it no longer returns is gone from the answer. */
  readonly read: () => Iterable<Sample>;
}

/** A counter, or a histogram, that is told of each event. */
export interface EventOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface DurationOptions extends EventOptions {
  /** Upper bounds in seconds, rising. */
  readonly buckets: readonly number[];
}

/** What a metric is called and means, whatever its values. */
export interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** What a queue tells at a scrape. */
export interface QueueGauges {
  readonly depth: number;
  readonly delayed: number;
  readonly inFlight: readonly string[];
  readonly longestRunning: number;
}

/** What a cache tells at a scrape. */
export interface CacheGauges {
  readonly size: number;
  readonly staleness: number;
}

/** What prom-client's metrics have in common, and its types do not say. */
interface Registered {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];
const REVIEW_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2, 10];
const WORK_SECONDS = [0.001, 0.01, 0.1, 1, 10, 60, 300];

/**
 * The program's metrics. Its own registry, and only what is worth an alert or a graph: prom-client's default
 * metrics keep a timer and a GC observer running, and two process gauges read at scrape say what matters.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #queues = new Map<string, QueueGauges>();

  readonly api: ApiObserver;
  readonly watch: WatchObserver;
  readonly admission: AdmissionObserver;
  readonly controller: QueueObserver & ReconcileObserver;

  constructor() {
    this.api = this.#apiObserver();
    this.watch = this.#watchObserver();
    this.admission = this.#admissionObserver();
    this.controller = this.#controllerObserver();
    this.#queueGauge("holdfast_queue_depth", "Keys that a worker could take now", (q) => q.depth);
    this.#queueGauge("holdfast_queue_delayed", "Keys that wait for their time", (q) => q.delayed);
    this.#queueGauge("holdfast_queue_in_flight", "Keys that workers have now", (q) => q.inFlight.length);
    this.#queueGauge(
      "holdfast_queue_longest_running_seconds",
      "How long the longest running reconcile has been running",
      (q) => q.longestRunning / 1000,
    );
    this.gauge({
      name: "process_resident_memory_bytes",
      help: "Resident memory size in bytes",
      read: () => [{ value: process.memoryUsage.rss() }],
    });
    this.#cpu();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The answer to a scrape. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** What a scrape would tell, for whoever pushes it. */
  values(): Promise<readonly MetricValues[]> {
    return this.#registry.getMetricsAsJSON() as Promise<readonly unknown[]> as Promise<
      readonly MetricValues[]
    >;
  }

  /** Every metric that there is, by name. */
  describe(): readonly MetricDescription[] {
    const metrics = this.#registry.getMetricsAsArray() as readonly unknown[] as readonly Registered[];
    return metrics
      .map((metric) => ({
        name: metric.name,
        type: metric instanceof Counter ? "counter" : metric instanceof Histogram ? "histogram" : "gauge",
        help: metric.help,
        labels: metric.labelNames.filter((label) => label !== "le"),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A counter. The returned function adds to it, by default 1. */
  counter({ name, help, labels = [] }: EventOptions): (labels: SampleLabels, by?: number) => void {
    const counter = this.#counter(name, help, [...labels]);
    return (sample, by = 1) => counter.inc({ ...sample }, by);
  }

  /** A histogram of durations. The returned function notes one, in seconds. */
  durations(options: DurationOptions): (labels: SampleLabels, seconds: number) => void {
    const { name, help, labels = [], buckets } = options;
    const histogram = this.#histogram(name, help, [...labels], [...buckets]);
    return (sample, seconds) => histogram.observe({ ...sample }, seconds);
  }

  gauge(options: GaugeOptions): void {
    if (options.counts) {
      this.#readCounter(options);
      return;
    }
    const { name, help, labels = [], read } = options;
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      collect() {
        this.reset();
        // Without labels a reset leaves a zero behind, which is no value that anybody read.
        if (labels.length === 0) this.remove();
        for (const sample of read()) this.set({ ...sample.labels }, sample.value);
      },
    });
  }

  /** Shows a controller's queue. */
  addQueue(name: string, queue: QueueGauges): void {
    this.#queues.set(name, queue);
  }

  /** Shows the caches that there are at each scrape, by name. */
  addCaches(caches: () => Iterable<readonly [name: string, cache: CacheGauges]>): void {
    const each = (value: (cache: CacheGauges) => number) => () =>
      Array.from(caches(), ([resource, cache]) => ({ labels: { resource }, value: value(cache) }));
    const labels = ["resource"];
    this.gauge({
      name: "holdfast_cache_objects",
      help: "Objects in the cache",
      labels,
      read: each((cache) => cache.size),
    });
    this.gauge({
      name: "holdfast_watch_staleness_seconds",
      help: "Time since the API server last confirmed the cache; 0 while a watch is open",
      labels,
      read: each((cache) => cache.staleness / 1000),
    });
  }

  /** Shows whether this process leads. */
  addLeader(isLeader: () => boolean): void {
    this.gauge({
      name: "holdfast_leader",
      help: "1 while this process is the leader",
      read: () => [{ value: isLeader() ? 1 : 0 }],
    });
  }

  #apiObserver(): ApiObserver {
    const requests = this.#counter(
      "holdfast_api_requests_total",
      "Requests to the API server, retries included",
      ["verb", "resource", "code"],
    );
    const seconds = this.#histogram(
      "holdfast_api_request_duration_seconds",
      "Time until the API server's answer",
      ["verb"],
      REQUEST_SECONDS,
    );
    return {
      request({ verb, resource, code, durationMs }) {
        requests.inc({ verb, resource, code: String(code) });
        seconds.observe({ verb }, durationMs / 1000);
      },
    };
  }

  #watchObserver(): WatchObserver {
    const open = new Gauge({
      name: "holdfast_watch_open",
      help: "Watches that are open",
      labelNames: ["resource"],
      registers: [this.#registry],
    });
    const closed = this.#counter("holdfast_watch_closed_total", "Watches that ended", ["resource", "reason"]);
    const events = this.#counter("holdfast_watch_events_total", "Events received", ["resource", "type"]);
    const relists = this.#counter("holdfast_watch_relists_total", "Times that the whole state was fetched", [
      "resource",
      "reason",
    ]);
    return {
      opened: (resource) => open.inc({ resource }),
      closed(resource, reason) {
        open.dec({ resource });
        closed.inc({ resource, reason });
      },
      event: (resource, type) => events.inc({ resource, type }),
      relisted: (resource, reason) => relists.inc({ resource, reason }),
    };
  }

  #admissionObserver(): AdmissionObserver {
    const webhook = ["webhook", "resource"];
    const requests = this.#counter("holdfast_admission_requests_total", "Reviews that webhooks answered", [
      ...webhook,
      "operation",
      "verdict",
    ]);
    const seconds = this.#histogram(
      "holdfast_admission_duration_seconds",
      "Time that webhooks took to answer a review",
      webhook,
      REVIEW_SECONDS,
    );
    return {
      reviewed({ durationMs, ...labels }) {
        requests.inc({ ...labels });
        seconds.observe({ webhook: labels.webhook, resource: labels.resource }, durationMs / 1000);
      },
    };
  }

  #controllerObserver(): QueueObserver & ReconcileObserver {
    const queue = ["queue"];
    const adds = this.#counter("holdfast_queue_adds_total", "Requests to work on a key", queue);
    const retries = this.#counter("holdfast_queue_retries_total", "Keys that came back with backoff", queue);
    const waited = this.#histogram(
      "holdfast_queue_latency_seconds",
      "Time that keys were ready before a worker took them",
      queue,
      WORK_SECONDS,
    );
    const worked = this.#histogram(
      "holdfast_queue_work_duration_seconds",
      "Time that workers had keys",
      queue,
      WORK_SECONDS,
    );
    const reconciles = this.#counter("holdfast_reconcile_total", "Reconciles by result class", [
      "controller",
      "result",
    ]);
    const seconds = this.#histogram(
      "holdfast_reconcile_duration_seconds",
      "Time that reconciles took",
      ["controller"],
      WORK_SECONDS,
    );
    return {
      added: (name) => adds.inc({ queue: name }),
      taken: (name, ms) => waited.observe({ queue: name }, ms / 1000),
      finished: (name, ms) => worked.observe({ queue: name }, ms / 1000),
      retried: (name) => retries.inc({ queue: name }),
      reconciled(controller, result, durationMs) {
        reconciles.inc({ controller, result });
        seconds.observe({ controller }, durationMs / 1000);
      },
    };
  }

  #queueGauge(name: string, help: string, value: (queue: QueueGauges) => number): void {
    const read = () =>
      Array.from(this.#queues, ([queue, gauges]) => ({ labels: { queue }, value: value(gauges) }));
    this.gauge({ name, help, labels: ["queue"], read });
  }

  #cpu(): void {
    new Counter({
      name: "process_cpu_seconds_total",
      help: "Total user and system CPU time spent in seconds",
      registers: [this.#registry],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
  }

  #readCounter({ name, help, labels = [], read }: GaugeOptions): void {
    new Counter({
      name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const sample of read()) this.inc({ ...sample.labels }, sample.value);
      },
    });
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.#registry] });
  }
}
