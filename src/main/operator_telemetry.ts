import type { Clock } from "../lib/clock.ts";
import { HttpsSender } from "../lib/https_sender.ts";
import type { Random } from "../lib/random.ts";
import type { Logger } from "../observe/log.ts";
import type { ReconcileObserver, RunEndObserver } from "../observe/observers.ts";
import type { Attributes, MetricValues } from "../observe/otlp/otlp_json.ts";
import { OtlpPush } from "../observe/otlp/otlp_push.ts";
import type { OtlpSettings } from "../observe/otlp/otlp_settings.ts";
import { reconcileSpans, runSpans } from "../observe/otlp/otlp_spans.ts";

export interface OperatorTelemetryOptions {
  readonly settings: OtlpSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly resource: Attributes;
  readonly metrics: () => Promise<readonly MetricValues[]>;
}

/** What is told to a collector, while it runs. */
export interface OperatorTelemetry extends ReconcileObserver, RunEndObserver {
  line(line: string): void;
  push(log: Logger, signal: AbortSignal): Promise<void>;
}

export function operatorTelemetry(options: OperatorTelemetryOptions): OperatorTelemetry {
  const { settings, clock, random, ...told } = options;
  const sender = new HttpsSender({ url: settings.endpoint, maxSockets: 3 });
  const push = new OtlpPush({ ...told, clock, sender, headers: settings.headers });
  return {
    ...reconcileSpans(clock, random, (span) => push.reconcileSpan(span)),
    ...runSpans(clock, (span) => push.runSpan(span)),
    line: (line) => push.line(line),
    async push(log, signal) {
      await push.run(log, signal);
      sender.close();
    },
  };
}

/** Tells the first, and then telemetry. */
export function andReconciled<T extends ReconcileObserver>(first: T, telemetry: ReconcileObserver): T {
  return {
    ...first,
    reconciled(...told) {
      first.reconciled(...told);
      telemetry.reconciled(...told);
    },
  };
}

/** Tells the first, and then telemetry. */
export function andRunEnded<T extends RunEndObserver>(first: T, telemetry: RunEndObserver): T {
  return {
    ...first,
    runEnded(end) {
      first.runEnded(end);
      telemetry.runEnded(end);
    },
  };
}
