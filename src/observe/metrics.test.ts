import { describe, expect, test } from "vitest";
import { Metrics } from "./metrics.ts";

/** The samples of one scrape: each series with its value. */
async function scrape(metrics: Metrics): Promise<Map<string, number>> {
  const lines = (await metrics.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1).replace("+Inf", "Infinity"))];
    }),
  );
}

describe("observers", () => {
  test("requests are counted by verb, resource and code", async () => {
    const metrics = new Metrics();
    metrics.api.request({ verb: "get", resource: "pods", code: 200, durationMs: 30, attempt: 1 });
    metrics.api.request({ verb: "get", resource: "pods", code: "ECONNRESET", durationMs: 3, attempt: 2 });
    const samples = await scrape(metrics);
    expect(samples.get('holdfast_api_requests_total{verb="get",resource="pods",code="200"}')).toBe(1);
    expect(samples.get('holdfast_api_requests_total{verb="get",resource="pods",code="ECONNRESET"}')).toBe(1);
    expect(samples.get('holdfast_api_request_duration_seconds_sum{verb="get"}')).toBeCloseTo(0.033);
  });

  test("watches are counted as they open, speak and close", async () => {
    const metrics = new Metrics();
    metrics.watch.opened("pods");
    metrics.watch.opened("jobs.batch");
    metrics.watch.event("pods", "ADDED");
    metrics.watch.closed("pods", "expired");
    metrics.watch.relisted("pods", "expired");
    const samples = await scrape(metrics);
    expect(samples.get('holdfast_watch_open{resource="pods"}')).toBe(0);
    expect(samples.get('holdfast_watch_open{resource="jobs.batch"}')).toBe(1);
    expect(samples.get('holdfast_watch_events_total{resource="pods",type="ADDED"}')).toBe(1);
    expect(samples.get('holdfast_watch_closed_total{resource="pods",reason="expired"}')).toBe(1);
    expect(samples.get('holdfast_watch_relists_total{resource="pods",reason="expired"}')).toBe(1);
  });

  test("reviews are counted by what was asked and answered, and timed", async () => {
    const metrics = new Metrics();
    const backups = { webhook: "validating", resource: "backups.example.org", operation: "CREATE" };
    metrics.admission.reviewed({ ...backups, verdict: "allowed", durationMs: 4 });
    metrics.admission.reviewed({ ...backups, verdict: "denied", durationMs: 30 });
    const samples = await scrape(metrics);
    const labels = 'webhook="validating",resource="backups.example.org"';
    const total = (verdict: string) =>
      samples.get(`holdfast_admission_requests_total{${labels},operation="CREATE",verdict="${verdict}"}`);
    expect([total("allowed"), total("denied"), total("failed")]).toEqual([1, 1, undefined]);
    expect(samples.get(`holdfast_admission_duration_seconds_sum{${labels}}`)).toBeCloseTo(0.034);
    expect(samples.get(`holdfast_admission_duration_seconds_bucket{le="0.01",${labels}}`)).toBe(1);
  });

  test("queues and reconciles are counted and timed", async () => {
    const metrics = new Metrics();
    metrics.controller.added("mirror");
    metrics.controller.taken("mirror", 20);
    metrics.controller.finished("mirror", 2_000);
    metrics.controller.retried("mirror");
    metrics.controller.reconciled("mirror", "transient", 1_500, "ns/a");
    const samples = await scrape(metrics);
    expect(samples.get('holdfast_queue_adds_total{queue="mirror"}')).toBe(1);
    expect(samples.get('holdfast_queue_retries_total{queue="mirror"}')).toBe(1);
    expect(samples.get('holdfast_queue_latency_seconds_sum{queue="mirror"}')).toBe(0.02);
    expect(samples.get('holdfast_queue_work_duration_seconds_sum{queue="mirror"}')).toBe(2);
    expect(samples.get('holdfast_reconcile_total{controller="mirror",result="transient"}')).toBe(1);
    expect(samples.get('holdfast_reconcile_duration_seconds_sum{controller="mirror"}')).toBe(1.5);
  });
});

describe("gauges", () => {
  test("are read at each scrape, and forget what is gone", async () => {
    const metrics = new Metrics();
    let values = ["a", "b"];
    const read = () => values.map((name) => ({ labels: { name }, value: 1 }));
    metrics.gauge({ name: "holdfast_things", help: "Things", labels: ["name"], read });
    expect((await scrape(metrics)).get('holdfast_things{name="a"}')).toBe(1);
    values = ["b"];
    const samples = await scrape(metrics);
    expect([samples.has('holdfast_things{name="a"}'), samples.has('holdfast_things{name="b"}')]).toEqual([
      false,
      true,
    ]);
  });

  test("show queues, caches and the leader", async () => {
    const metrics = new Metrics();
    const queue = { depth: 3, delayed: 2, inFlight: ["ns/a"], longestRunning: 1_500 };
    metrics.addQueue("mirror", queue);
    metrics.addCaches(() => [["pods", { size: 7, staleness: Number.POSITIVE_INFINITY }]]);
    metrics.addLeader(() => true);
    const samples = await scrape(metrics);
    expect(samples.get('holdfast_queue_depth{queue="mirror"}')).toBe(3);
    expect(samples.get('holdfast_queue_delayed{queue="mirror"}')).toBe(2);
    expect(samples.get('holdfast_queue_in_flight{queue="mirror"}')).toBe(1);
    expect(samples.get('holdfast_queue_longest_running_seconds{queue="mirror"}')).toBe(1.5);
    expect(samples.get('holdfast_cache_objects{resource="pods"}')).toBe(7);
    expect(samples.get('holdfast_watch_staleness_seconds{resource="pods"}')).toBe(Number.POSITIVE_INFINITY);
    expect(samples.get("holdfast_leader")).toBe(1);
    expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(samples.get("process_cpu_seconds_total")).toBeGreaterThan(0);
  });

  test("that read nothing show nothing", async () => {
    const metrics = new Metrics();
    metrics.gauge({ name: "holdfast_nothing", help: "Nothing", read: () => [] });
    expect([...(await scrape(metrics)).keys()].filter((name) => name.includes("nothing"))).toEqual([]);
  });

  test("of two Metrics do not meet", async () => {
    const first = new Metrics();
    const second = new Metrics();
    first.controller.added("mirror");
    expect((await scrape(second)).has('holdfast_queue_adds_total{queue="mirror"}')).toBe(false);
  });
});
