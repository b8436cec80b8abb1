import { type DestinationStream, destination, type Logger as Pino, pino } from "pino";
import type { LogFields, Logger } from "./log.ts";
import { redacted } from "./redact.ts";
import { textLines } from "./text_lines.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
/** `json` is for machines, one object a line; `text` for people. */
export type LogFormat = "json" | "text";

export interface PinoLoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Default `json`. */
  readonly format?: LogFormat;
  /** Where the lines go. Default: stdout, at once, so that nothing is lost when the process ends. */
  readonly destination?: DestinationStream;
  /** Gets each line, too, as JSON. */
  readonly alsoTo?: (line: string) => void;
}

/** Structured logs, with what looks like a secret left out. */
export function pinoLogger(options: PinoLoggerOptions = {}): Logger {
  const sink = options.destination ?? destination({ dest: 1, sync: true });
  const settings = {
    level: options.level ?? "info",
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const shown = options.format === "text" ? textLines(sink) : sink;
  return over(pino(settings, options.alsoTo ? both(shown, options.alsoTo) : shown));
}

function both(shown: DestinationStream, alsoTo: (line: string) => void): DestinationStream {
  return {
    write(line) {
      shown.write(line);
      alsoTo(line);
    },
  };
}

function over(target: Pino): Logger {
  const write = (level: "debug" | "info" | "warn" | "error") => (fields: LogFields, message: string) => {
    if (target.isLevelEnabled(level)) target[level](redacted(fields), redacted(message) as string);
  };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (fields) => over(target.child(redacted(fields) as Record<string, unknown>)),
  };
}
