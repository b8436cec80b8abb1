import type { ErrorClass } from "../../../wire/error_classes.ts";

/** How an attempt found the storage of its repository. */
export interface Contact {
  /** The repository, by the UID of its object. */
  readonly pool: string;
  /** ISO 8601. When the attempt's end was noticed. */
  readonly at: string;
  /** Why the storage could not be used; absent where it could. */
  readonly failure?: ErrorClass;
  /** Attempts of this task in a row that failed in this way. */
  readonly setbacks?: number;
  /** It found damaged data: the storage itself can be used. */
  readonly damaged?: boolean;
}

/** Failures that whatever works on the repository next would meet as well. */
const STORAGE_FAILURES: ReadonlySet<ErrorClass> = new Set([
  "Unreachable",
  "UntrustedServer",
  "CredentialsMissing",
  "Forbidden",
  "BucketMissing",
  "NotARepository",
  "RepositoryReplaced",
  "WrongPassword",
]);

export interface ContactQuestion {
  readonly pool: string;
  /** Of the attempt's end; absent where it succeeded. */
  readonly failure: ErrorClass | undefined;
  readonly before: Contact | undefined;
  readonly now: number;
}

/** What an attempt's end says of the storage; undefined where it says nothing. */
export function contactAfter({ pool, failure, before, now }: ContactQuestion): Contact | undefined {
  const at = new Date(now).toISOString();
  if (failure === undefined) return { pool, at };
  if (failure === "Corrupt") return { pool, at, damaged: true };
  if (!STORAGE_FAILURES.has(failure)) return undefined;
  return { pool, at, failure, setbacks: (before?.pool === pool ? (before.setbacks ?? 0) : 0) + 1 };
}
