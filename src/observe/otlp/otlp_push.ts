import { type Clock, deadline, sleep } from "../../lib/clock.ts";
import { type HttpSender, readBody } from "../../lib/http.ts";
import { messageOf } from "../../lib/result.ts";
import type { Logger } from "../log.ts";
import { logRecord } from "./log_record.ts";
import { metricParts } from "./metric_parts.ts";
import {
  type Attributes,
  type LogRecord,
  logsJson,
  type MetricValues,
  metricsJson,
  type Span,
  spansJson,
} from "./otlp_json.ts";
import { Waiting } from "./waiting.ts";

export interface OtlpPushOptions {
  readonly clock: Clock;
  readonly sender: Pick<HttpSender, "send">;
  readonly headers: Readonly<Record<string, string>>;
  /** Whom everything is told of: the program, its version, its pod. */
  readonly resource: Attributes;
  readonly metrics: () => Promise<readonly MetricValues[]>;
}

type Signal = "traces" | "logs" | "metrics";

const INTERVAL_MS = 10_000;
/** Metrics are read and pushed at every sixth time: they are many, and change little. */
const METRICS_EVERY = 6;
const SEND_MS = 5_000;
const MOST_WAITING = 2_048;
const ANSWER_BYTES = 64 * 1024;

/** The collector looked at it and does not want it: sending it again would change nothing. */
class Refused extends Error {
  override name = "Refused";
}

/** Pushes spans, lines and metrics to a collector: OTLP over HTTP, in JSON. Trouble with it is told and troubles nobody. */
export class OtlpPush {
  readonly #options: OtlpPushOptions;
  readonly #runs = new Waiting<Span>(MOST_WAITING);
  readonly #reconciles = new Waiting<Span>(MOST_WAITING);
  readonly #lines = new Waiting<LogRecord>(MOST_WAITING);
  #turn = 0;
  #trouble: string | undefined;

  constructor(options: OtlpPushOptions) {
    this.#options = options;
  }

  runSpan(span: Span): void {
    this.#runs.add(span);
  }

  /** Of these there may be so many that they would crowd runs out. */
  reconcileSpan(span: Span): void {
    this.#reconciles.add(span);
  }

  /** Takes a line of the log, as pino writes it. */
  line(line: string): void {
    this.#lines.add(logRecord(line));
  }

  /** Runs until the signal aborts, and then pushes once more. */
  async run(log: Logger, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      await sleep(clock, INTERVAL_MS, signal).catch(() => {});
      if (signal.aborted) break;
      await this.#pushAll(log, this.#turn++ % METRICS_EVERY === 0);
    }
    await this.#pushAll(log, true);
  }

  async #pushAll(log: Logger, withMetrics: boolean): Promise<void> {
    const { resource } = this.#options;
    const toSpans = (spans: readonly Span[]) => spansJson(resource, spans);
    const results = await Promise.allSettled([
      this.#pushWaiting("traces", this.#runs, toSpans),
      this.#pushWaiting("traces", this.#reconciles, toSpans),
      this.#pushWaiting("logs", this.#lines, (records) => logsJson(resource, records)),
      ...(withMetrics ? [this.#pushMetrics()] : []),
    ]);
    this.#tell(log, results.find((result) => result.status === "rejected")?.reason);
  }

  async #pushWaiting<T>(
    signal: Signal,
    waiting: Waiting<T>,
    json: (items: readonly T[]) => object,
  ): Promise<void> {
    const items = waiting.takeAll();
    if (items.length === 0) return;
    try {
      await this.#push(signal, json(items));
    } catch (error) {
      if (error instanceof Refused) waiting.giveUp(items);
      else waiting.putBack(items);
      throw error;
    }
  }

  async #pushMetrics(): Promise<void> {
    const { resource, metrics, clock } = this.#options;
    const now = clock.now();
    for (const part of metricParts(await metrics())) {
      await this.#push("metrics", metricsJson(resource, part, now));
    }
  }

  async #push(signal: Signal, body: object): Promise<void> {
    const { clock, sender, headers } = this.#options;
    using bound = deadline(clock, SEND_MS, `the push of ${signal}`);
    const answer = await sender.send({
      method: "POST",
      path: `/v1/${signal}`,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: bound.signal,
    });
    const text = (await readBody(answer.body, ANSWER_BYTES)).toString();
    if (answer.status < 300) return;
    const problem = `the collector answered ${answer.status} to ${signal}: ${text.slice(0, 200)}`;
    const comesAgain = answer.status >= 500 || answer.status === 408 || answer.status === 429;
    throw comesAgain ? new Error(problem) : new Refused(problem);
  }

  /** Trouble is told once when it begins and once when it is over: a collector that is away must not fill the log. */
  #tell(log: Logger, error: unknown): void {
    const before = this.#trouble;
    this.#trouble = error === undefined ? undefined : messageOf(error);
    if (this.#trouble !== undefined) {
      if (before === undefined) log.warn({ error: this.#trouble }, "telemetry does not reach its collector");
      return;
    }
    const dropped = [this.#runs, this.#reconciles, this.#lines].reduce(
      (sum, waiting) => sum + waiting.takeDropped(),
      0,
    );
    if (before !== undefined) log.info({ dropped }, "telemetry reaches its collector again");
    else if (dropped > 0) log.warn({ dropped }, "more telemetry than can wait: the oldest was dropped");
  }
}
