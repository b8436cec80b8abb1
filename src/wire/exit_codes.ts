import { ERROR_CLASSES, type ErrorClass } from "./error_classes.ts";

/** The mover's own fault: none of the classes. */
export const EXIT_FAULT = 1;
/** The work spec cannot be read, or is of a version that this mover does not know. */
export const EXIT_BAD_WORK = 2;

/** One exit code per class. Numbers are never reused; 125 and above belong to shells and signals. */
export const EXIT_CODES: Readonly<Record<ErrorClass, number>> = {
  WrongPassword: 10,
  NotARepository: 11,
  ForeignData: 12,
  RepositoryReplaced: 13,
  Unreachable: 14,
  UntrustedServer: 15,
  CredentialsMissing: 16,
  Forbidden: 17,
  BucketMissing: 18,
  ReadOnly: 19,
  Full: 20,
  CacheFull: 21,
  TargetFull: 22,
  Locked: 23,
  Corrupt: 24,
  SnapshotMissing: 25,
  PathMissing: 26,
  SourceMissing: 27,
  SourceUnreadable: 28,
  PrivilegesNeeded: 29,
  TargetNotWritable: 30,
  TargetExists: 31,
  Unsupported: 32,
  InvalidOption: 33,
  OutOfMemory: 34,
  Cancelled: 35,
  Deadline: 36,
  EngineMissing: 37,
  EngineFailed: 38,
  Interrupted: 39,
  OwnedByAnother: 40,
  NotStarted: 41,
};

/** The class that an exit code stands for, where the report is gone. */
export function classOfExit(code: number): ErrorClass | undefined {
  return (Object.keys(ERROR_CLASSES) as ErrorClass[]).find((name) => EXIT_CODES[name] === code);
}
