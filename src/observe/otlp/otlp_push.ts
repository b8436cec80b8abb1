import { type Clock, deadline, sleep } from "../../lib/clock.ts";
import { type HttpSender, readBody } from "../../lib/http.ts";
import { messageOf } from "../../lib/result.ts";
import type { Logger } from "../log.ts";
import { logRecord } from "./log_record.ts";
import {
  type Attributes,
  type LogRecord,
  logsJson,
  type MetricValues,
  metricsJson,
  type Span,
  spansJson,
} from "./otlp_json.ts";

export interface OtlpPushOptions {
  readonly clock: Clock;
  readonly sender: Pick<HttpSender, "send">;
  readonly headers: Readonly<Record<string, string>>;
  /** Whom everything is told of: the program, its version, its pod. */
  readonly resource: Attributes;
  readonly metrics: () => Promise<readonly MetricValues[]>;
}

const INTERVAL_MS = 10_000;
const SEND_MS = 5_000;
/** Spans, and as many lines, that wait for a collector. The oldest go first, and are counted. */
const MOST_WAITING = 2_048;
const ANSWER_BYTES = 64 * 1024;

/** The collector looked at it and does not want it: sending it again would change nothing. */
class Refused extends Error {
  override name = "Refused";
}

/** Pushes spans, lines and metrics to a collector: OTLP over HTTP, in JSON. Trouble with it is told and troubles nobody. */
export class OtlpPush {
  readonly name = "telemetry";
  readonly #options: OtlpPushOptions;
  readonly #start: number;
  #spans: Span[] = [];
  #records: LogRecord[] = [];
  #dropped = 0;
  #trouble: string | undefined;

  constructor(options: OtlpPushOptions) {
    this.#options = options;
    this.#start = options.clock.now();
  }

  span(span: Span): void {
    this.#spans.push(span);
    this.#bound(this.#spans);
  }

  /** Takes a line of the log, as pino writes it. */
  line(line: string): void {
    this.#records.push(logRecord(line));
    this.#bound(this.#records);
  }

  /** Runs until the signal aborts, and then pushes once more. */
  async run(log: Logger, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await sleep(clock, INTERVAL_MS, signal).catch(() => {});
      await this.#pushAll(log);
    }
  }

  async #pushAll(log: Logger): Promise<void> {
    const { resource, metrics, clock } = this.#options;
    const spans = this.#spans;
    const records = this.#records;
    this.#spans = [];
    this.#records = [];
    const results = await Promise.allSettled([
      this.#push("traces", spans.length > 0 && spansJson(resource, spans)),
      this.#push("logs", records.length > 0 && logsJson(resource, records)),
      metrics().then((values) =>
        this.#push("metrics", metricsJson(resource, values, { start: this.#start, now: clock.now() })),
      ),
    ]);
    const [traces, logs] = results;
    if (mayComeAgain(traces)) this.#putBack(this.#spans, spans);
    if (mayComeAgain(logs)) this.#putBack(this.#records, records);
    this.#tell(log, results.find((result) => result.status === "rejected")?.reason);
  }

  async #push(signal: "traces" | "logs" | "metrics", body: object | false): Promise<void> {
    if (!body) return;
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

  /** Once when it begins, once when it is over: a collector that is away must not fill the log. */
  #tell(log: Logger, error: unknown): void {
    const trouble = error === undefined ? undefined : messageOf(error);
    if (trouble !== undefined && this.#trouble === undefined) {
      log.warn({ error: trouble }, "telemetry does not reach its collector");
    } else if (trouble === undefined && this.#trouble !== undefined) {
      log.info({ dropped: this.#dropped }, "telemetry reaches its collector again");
      this.#dropped = 0;
    }
    this.#trouble = trouble;
  }

  #putBack<T>(waiting: T[], first: readonly T[]): void {
    waiting.unshift(...first);
    this.#bound(waiting);
  }

  #bound(waiting: unknown[]): void {
    const beyond = waiting.length - MOST_WAITING;
    if (beyond <= 0) return;
    this.#dropped += beyond;
    waiting.splice(0, beyond);
  }
}

function mayComeAgain(result: PromiseSettledResult<void>): boolean {
  return result.status === "rejected" && !(result.reason instanceof Refused);
}
