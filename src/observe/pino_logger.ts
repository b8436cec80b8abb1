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

/** What may wait for a stdout that takes nothing, such as a file on a full disk; what comes meanwhile is lost. */
const MOST_WAITING = 2 ** 20;

/** Structured logs, with what looks like a secret left out. To log never fails: what cannot be written is lost. */
export function pinoLogger(options: PinoLoggerOptions = {}): Logger {
  const sink = unfailing(options.destination ?? recovering(1));
  const settings = {
    level: options.level ?? "info",
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const shown = options.format === "text" ? textLines(sink) : sink;
  return over(pino(settings, options.alsoTo ? both(shown, options.alsoTo) : shown));
}

/**
 * Writes at once. What a full disk does not take waits, and is written when there is room again; to write throws where
 * there is none.
 */
export function recovering(dest: number | string): ReturnType<typeof destination> {
  const stream = destination({ dest, sync: true, maxLength: MOST_WAITING });
  // A line for which there is no room is not tried, so nothing would ever make any. Not flushSync: on a full disk it
  // does not return.
  stream.on("drop", () => void stream.write(""));
  return stream;
}

/** Whoever logs is mostly about to cope with a failure: that of the log would come in the way. */
function unfailing(sink: DestinationStream): DestinationStream {
  return {
    write(line) {
      try {
        sink.write(line);
      } catch {
        // There is no better place to tell of it.
      }
    },
  };
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
