import { isRecord } from "../../lib/json.ts";
import type { EngineFailure } from "../../wire/engine_error.ts";
import { ERROR_CLASSES, type ErrorClass } from "../../wire/error_classes.ts";
import { type LogLine, type ProgressLine, REPORT_VERSION, type Result } from "../../wire/report.ts";
import type { Owner } from "../../wire/snapshot.ts";

/** A line of a mover's output as it is understood here. */
export type ReportedLine =
  | { readonly progress: ProgressLine }
  | { readonly log: LogLine }
  | { readonly result: Result }
  /** Not a report, such as the trace of a crash. */
  | { readonly text: string };

/** Reads one line. Whatever is not a report of a known version is text. */
export function parseLine(line: string): ReportedLine {
  const value = parse(line);
  if (isRecord(value)) {
    const progress = asProgress(value.progress);
    if (progress) return { progress };
    const log = asLog(value.log);
    if (log) return { log };
    const result = asResult(value.result);
    if (result) return { result };
  }
  return { text: line };
}

/** The result in a termination message: all of it, or, where the kubelet took the log's end instead, one of its lines. */
export function parseTermination(message: string | undefined): Result | undefined {
  if (!message) return undefined;
  const whole = asResult(parse(message));
  if (whole) return whole;
  for (const line of message.split("\n").toReversed()) {
    const said = parseLine(line);
    if ("result" in said) return said.result;
  }
  return undefined;
}

function parse(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isReadable(version: unknown): boolean {
  return version === REPORT_VERSION || (version === REPORT_VERSION - 1 && version > 0);
}

function asProgress(value: unknown): ProgressLine | undefined {
  if (!isRecord(value) || !isReadable(value.version) || typeof value.step !== "string") return undefined;
  return value as unknown as ProgressLine;
}

function asLog(value: unknown): LogLine | undefined {
  if (!isRecord(value) || typeof value.level !== "string" || typeof value.message !== "string")
    return undefined;
  return value as unknown as LogLine;
}

function asResult(value: unknown): Result | undefined {
  if (!isRecord(value) || !isReadable(value.version)) return undefined;
  const { run, startedAt, endedAt, failure } = value;
  if (typeof run !== "string" || typeof startedAt !== "string" || typeof endedAt !== "string")
    return undefined;
  const result = value as unknown as Result;
  return failure === undefined ? result : { ...result, failure: asFailure(failure) };
}

/** A mover that is newer than this program may know classes that it does not. */
function asFailure(value: unknown): EngineFailure {
  const { class: given, message, remedy, detail, owner } = isRecord(value) ? value : {};
  const known: ErrorClass =
    typeof given === "string" && Object.hasOwn(ERROR_CLASSES, given) ? (given as ErrorClass) : "EngineFailed";
  return {
    class: known,
    message: typeof message === "string" ? message : "the mover failed and gave no reason",
    remedy: typeof remedy === "string" ? remedy : ERROR_CLASSES[known].remedy,
    ...(typeof detail === "string" ? { detail } : {}),
    ...(isOwner(owner) ? { owner } : {}),
  };
}

function isOwner(value: unknown): value is Owner {
  return isRecord(value) && [value.uid, value.gid].every(isId);
}

/** As far as file systems count. */
function isId(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}
