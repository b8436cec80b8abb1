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
  readonly apis: readonly ApiName[];
  /** Only this namespace is looked at. Default: all. */
  readonly namespace?: string | undefined;
}

/** Adds everything that the operator tells of itself and of the APIs that it serves, and returns what is to be told. */
export function operatorMetrics(
  metrics: Metrics,
  options: OperatorMetricsOptions,
): KopiurCounters | undefined {
  const { informers, isLeader, apis, namespace } = options;
  metrics.addCaches(() => informers.caches());
  metrics.addLeader(isLeader);
  if (!apis.includes("kopiur")) return undefined;
  const gauges = [...kopiurGauges(informers, namespace), ...runGauges(runCaches(informers, namespace))];
  for (const gauge of gauges) metrics.gauge(gauge);
  return kopiurCounters(metrics);
}
