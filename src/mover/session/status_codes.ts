import type { ErrorClass } from "../../wire/error_classes.ts";

const CODES: Partial<Record<ErrorClass, number>> = {
  InvalidOption: 400,
  Unsupported: 400,
  SnapshotMissing: 404,
  PathMissing: 404,
  // The repository does not let us: not this client's fault, and not this server's.
  WrongPassword: 502,
  NotARepository: 502,
  RepositoryReplaced: 502,
  UntrustedServer: 502,
  Forbidden: 502,
  BucketMissing: 502,
  Corrupt: 502,
  // Worth another try.
  Unreachable: 503,
  Locked: 503,
  OutOfMemory: 503,
  CacheFull: 503,
  Cancelled: 503,
  Deadline: 504,
};

/** The HTTP status that goes with a failure. */
export function statusOf(errorClass: ErrorClass): number {
  return CODES[errorClass] ?? 500;
}
