import { EngineError } from "../wire/engine_error.ts";
import type { ErrorClass } from "../wire/error_classes.ts";

/** What a system call that failed in a restore's target means. */
export function targetError(what: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  return new EngineError(CLASSES[code ?? ""] ?? "TargetNotWritable", `${what}: ${message}`, { cause });
}

/** What a disk or a file server says in bad moments may pass, and is tried again. */
const CLASSES: Readonly<Record<string, ErrorClass>> = {
  ENOSPC: "TargetFull",
  EDQUOT: "TargetFull",
  EEXIST: "TargetExists",
  EIO: "EngineFailed",
  ESTALE: "EngineFailed",
  ETIMEDOUT: "EngineFailed",
  EAGAIN: "EngineFailed",
  EBUSY: "EngineFailed",
};

/** The same for a program's words of it, which end with the reason; undefined where that is another one. */
export function targetErrorClass(words: string): ErrorClass | undefined {
  if (/(?:no space left on device|disk quota exceeded)$/.test(words)) return "TargetFull";
  if (/(?:read-only file system|permission denied|operation not permitted)$/.test(words))
    return "TargetNotWritable";
  return undefined;
}
