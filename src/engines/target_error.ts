import { EngineError } from "../wire/engine_error.ts";
import type { ErrorClass } from "../wire/error_classes.ts";

/** What a system call that failed in a restore's target means. */
export function targetError(what: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  const full = code === "ENOSPC" || code === "EDQUOT";
  const errorClass = full ? "TargetFull" : code === "EEXIST" ? "TargetExists" : "TargetNotWritable";
  return new EngineError(errorClass, `${what}: ${message}`, { cause });
}

/** The same for a program's words of it, which end with the reason; undefined where that is another one. */
export function targetErrorClass(words: string): ErrorClass | undefined {
  if (/(?:no space left on device|disk quota exceeded)$/.test(words)) return "TargetFull";
  if (/(?:read-only file system|permission denied|operation not permitted)$/.test(words))
    return "TargetNotWritable";
  return undefined;
}
