/** Fields of a log line beside its message: an object's key, a reason, a duration. Never a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logs. Implemented over pino in `main/`; a test hands in one that keeps the lines. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds these fields to each line. */
  child(fields: LogFields): Logger;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
