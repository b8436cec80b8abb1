// prom-client's entry point loads parts that are not used here (cluster, push gateway, summaries, OpenTelemetry)
// and costs 9 MB; the four modules alone cost less than 1 MB, but come without types of their own.
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
declare module "prom-client/lib/counter.js" {
  export { Counter as default } from "prom-client";
}
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/histogram.js" {
  export { Histogram as default } from "prom-client";
}
