import { type KopiurCounters, kopiurCounters } from "../apis/kopiur/kopiur_counters.ts";
import { kopiurGauges } from "../apis/kopiur/kopiur_gauges.ts";
import { runCaches } from "../core/work/run_caches.ts";
import { runGauges } from "../core/work/run_gauges.ts";
import type { Informers } from "../kube/cache/informers.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { ApiName } from "./operator_settings.ts";

export interface OperatorMetricsOptions {
  readonly informers: Pick<Informers, "cache" | "caches">;
  readonly isLeader: () => boolean;
  /** Those that are served. */
  readonly apis: readonly ApiName[];
  /** Those that the settings ask for. Default: the same. */
  readonly asked?: readonly ApiName[] | undefined;
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string | undefined;
}

/** Adds everything that the operator tells of itself and of the APIs that it serves, and returns what is to be told. */
export function operatorMetrics(
  metrics: Metrics,
  options: OperatorMetricsOptions,
): KopiurCounters | undefined {
  const { informers, isLeader, apis, asked = apis, namespace } = options;
  metrics.addCaches(() => informers.caches());
  metrics.addLeader(isLeader);
  // An API that is not served tells nothing else, and silence would look like peace.
  metrics.gauge({
    name: "holdfast_api_served",
    help: "1 while an API that was asked for is served, 0 while something stands against it",
    labels: ["api"],
    read: () => asked.map((api) => ({ labels: { api }, value: apis.includes(api) ? 1 : 0 })),
  });
  if (!apis.includes("kopiur")) return undefined;
  const gauges = [...kopiurGauges(informers, namespace), ...runGauges(runCaches(informers, namespace))];
  for (const gauge of gauges) metrics.gauge(gauge);
  return kopiurCounters(metrics);
}
