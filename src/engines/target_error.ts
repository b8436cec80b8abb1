import { EngineError } from "../wire/engine_error.ts";
import type { ErrorClass } from "../wire/error_classes.ts";

/** What a system call that failed in a restore's target means. */
export function targetError(what: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  return new EngineError(CLASSES[code ?? ""] ?? "EngineFailed", `${what}: ${message}`, { cause });
}

/** Whatever else a file system says, such as EIO or ESTALE, may pass. */
const CLASSES: Readonly<Record<string, ErrorClass>> = {
  ENOSPC: "TargetFull",
  EDQUOT: "TargetFull",
  EEXIST: "TargetExists",
  EACCES: "TargetNotWritable",
  EPERM: "TargetNotWritable",
  EROFS: "TargetNotWritable",
};

/** The same for a program's words of it, which end with the reason; undefined where that is another one. */
export function targetErrorClass(words: string): ErrorClass | undefined {
  if (/(?:no space left on device|disk quota exceeded)$/.test(words)) return "TargetFull";
  if (/(?:read-only file system|permission denied|operation not permitted)$/.test(words))
    return "TargetNotWritable";
  return undefined;
}
