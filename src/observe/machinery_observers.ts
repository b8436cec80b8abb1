import type { Metrics } from "./metrics.ts";
import type {
  AdmissionObserver,
  ApiObserver,
  QueueObserver,
  ReconcileObserver,
  WatchObserver,
} from "./observers.ts";

/* What the machinery of every program tells of itself, as metrics. */

type Instruments = Pick<Metrics, "counter" | "durations" | "gauge">;

const REQUEST_SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];
const REVIEW_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2, 10];
const WORK_SECONDS = [0.001, 0.01, 0.1, 1, 10, 60, 300];

export function apiObserver(metrics: Instruments): ApiObserver {
  const requests = metrics.counter({
    name: "holdfast_api_requests_total",
    help: "Requests to the API server, retries included",
    labels: ["verb", "resource", "code"],
  });
  const took = metrics.durations({
    name: "holdfast_api_request_duration_seconds",
    help: "Time until the API server's answer",
    labels: ["verb"],
    buckets: REQUEST_SECONDS,
  });
  return {
    request({ verb, resource, code, durationMs }) {
      requests({ verb, resource, code: String(code) });
      took({ verb }, durationMs / 1000);
    },
  };
}

export function watchObserver(metrics: Instruments): WatchObserver {
  const open = new Map<string, number>();
  const add = (resource: string, by: number) => open.set(resource, (open.get(resource) ?? 0) + by);
  metrics.gauge({
    name: "holdfast_watch_open",
    help: "Watches that are open",
    labels: ["resource"],
    read: () => Array.from(open, ([resource, value]) => ({ labels: { resource }, value })),
  });
  const closed = metrics.counter({
    name: "holdfast_watch_closed_total",
    help: "Watches that ended",
    labels: ["resource", "reason"],
  });
  const events = metrics.counter({
    name: "holdfast_watch_events_total",
    help: "Events received",
    labels: ["resource", "type"],
  });
  const relists = metrics.counter({
    name: "holdfast_watch_relists_total",
    help: "Times that the whole state was fetched",
    labels: ["resource", "reason"],
  });
  return {
    opened: (resource) => void add(resource, 1),
    closed(resource, reason) {
      add(resource, -1);
      closed({ resource, reason });
    },
    event: (resource, type) => events({ resource, type }),
    relisted: (resource, reason) => relists({ resource, reason }),
  };
}

export function admissionObserver(metrics: Instruments): AdmissionObserver {
  const labels = ["webhook", "resource"];
  const requests = metrics.counter({
    name: "holdfast_admission_requests_total",
    help: "Reviews that webhooks answered",
    labels: [...labels, "operation", "verdict"],
  });
  const took = metrics.durations({
    name: "holdfast_admission_duration_seconds",
    help: "Time that webhooks took to answer a review",
    labels,
    buckets: REVIEW_SECONDS,
  });
  return {
    reviewed({ durationMs, ...info }) {
      const { webhook, resource } = info;
      requests({ ...info });
      took({ webhook, resource }, durationMs / 1000);
    },
  };
}

export function controllerObserver(metrics: Instruments): QueueObserver & ReconcileObserver {
  const labels = ["queue"];
  const adds = metrics.counter({
    name: "holdfast_queue_adds_total",
    help: "Requests to work on a key",
    labels,
  });
  const retries = metrics.counter({
    name: "holdfast_queue_retries_total",
    help: "Keys that came back with backoff",
    labels,
  });
  const waited = metrics.durations({
    name: "holdfast_queue_latency_seconds",
    help: "Time that keys were ready before a worker took them",
    labels,
    buckets: WORK_SECONDS,
  });
  const worked = metrics.durations({
    name: "holdfast_queue_work_duration_seconds",
    help: "Time that workers had keys",
    labels,
    buckets: WORK_SECONDS,
  });
  const reconciles = metrics.counter({
    name: "holdfast_reconcile_total",
    help: "Reconciles by result class",
    labels: ["controller", "result"],
  });
  const took = metrics.durations({
    name: "holdfast_reconcile_duration_seconds",
    help: "Time that reconciles took",
    labels: ["controller"],
    buckets: WORK_SECONDS,
  });
  return {
    added: (queue) => adds({ queue }),
    taken: (queue, ms) => waited({ queue }, ms / 1000),
    finished: (queue, ms) => worked({ queue }, ms / 1000),
    retried: (queue) => retries({ queue }),
    reconciled(controller, result, durationMs) {
      reconciles({ controller, result });
      took({ controller }, durationMs / 1000);
    },
  };
}
