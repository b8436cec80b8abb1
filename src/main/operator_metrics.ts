import type { Api, ApiCounters } from "../core/api.ts";
import { coverageGauge } from "../core/view/coverage_gauge.ts";
import { runCaches } from "../core/work/run_caches.ts";
import { runGauges } from "../core/work/run_gauges.ts";
import type { Informers } from "../kube/cache/informers.ts";
import type { Metrics } from "../observe/metrics.ts";
import type {
  AdmissionObserver,
  QueueObserver,
  ReconcileObserver,
  RunEndObserver,
} from "../observe/observers.ts";

export interface OperatorMetricsOptions {
  readonly informers: Pick<Informers, "cache" | "caches" | "for">;
  readonly isLeader: () => boolean;
  /** Those that are served. */
  readonly apis: readonly Api[];
  /** Those that the settings ask for. Default: the same. */
  readonly asked?: readonly Api[] | undefined;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string | undefined;
}

/** Who is to be told what, so that it is counted. */
export interface OperatorCounters {
  readonly controller: QueueObserver & ReconcileObserver;
  readonly admission: AdmissionObserver;
  readonly runs: RunEndObserver;
  readonly byApi: ReadonlyMap<string, ApiCounters>;
}

/** Adds everything that the operator tells of itself and of the APIs that it serves, and returns who is to be told. */
export function operatorMetrics(metrics: Metrics, options: OperatorMetricsOptions): OperatorCounters {
  const { informers, isLeader, apis, asked = apis, namespace } = options;
  metrics.addCaches(() => informers.caches());
  metrics.addLeader(isLeader);
  // An API that is not served tells nothing else, and silence would look like peace.
  metrics.gauge({
    name: "holdfast_api_served",
    help: "1 while an API that was asked for is served, 0 while something stands against it",
    labels: ["api"],
    read: () => asked.map((api) => ({ labels: { api: api.name }, value: apis.includes(api) ? 1 : 0 })),
  });
  const scope = namespace === undefined ? {} : { namespace };
  const gauges = apis.flatMap((api) => api.gauges({ informers: informers.for(api.name), ...scope }));
  const shared =
    apis.length > 0
      ? [
          ...runGauges(runCaches(informers, namespace)),
          coverageGauge(
            apis.map(({ view }) => view),
            informers,
            namespace,
          ),
        ]
      : [];
  for (const gauge of [...gauges, ...shared]) metrics.gauge(gauge);
  const byApi = new Map(apis.map((api) => [api.name, api.counters(metrics)]));
  const all = [...byApi.values()];
  return {
    byApi,
    controller: {
      ...metrics.controller,
      reconciled(...told) {
        metrics.controller.reconciled(...told);
        for (const { reconciles } of all) reconciles?.reconciled(...told);
      },
    },
    admission: {
      reviewed(info) {
        metrics.admission.reviewed(info);
        for (const { admission } of all) admission?.reviewed(info);
      },
    },
    runs: {
      runEnded(end) {
        for (const { runs } of all) runs?.runEnded(end);
      },
    },
  };
}
