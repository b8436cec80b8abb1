import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import { admissionObserver, apiObserver, controllerObserver, watchObserver } from "./machinery_observers.ts";
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

export type Count = (labels: SampleLabels, by?: number) => void;
export type Note = (labels: SampleLabels, seconds: number) => void;

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
    this.api = apiObserver(this);
    this.watch = watchObserver(this);
    this.admission = admissionObserver(this);
    this.controller = controllerObserver(this);
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
  counter({ name, help, labels = [] }: EventOptions): Count {
    const counter = new Counter({ name, help, labelNames: [...labels], registers: [this.#registry] });
    return (sample, by = 1) => counter.inc({ ...sample }, by);
  }

  /** A histogram of durations. The returned function notes one, in seconds. */
  durations(options: DurationOptions): Note {
    const { name, help, labels = [], buckets } = options;
    const registers = [this.#registry];
    const histogram = new Histogram({
      name,
      help,
      labelNames: [...labels],
      buckets: [...buckets],
      registers,
    });
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
      help: "Time since the API server last confirmed the cache; 0 while a watch of it is open",
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
}
