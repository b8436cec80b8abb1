/** One cause within a refusal: which field, and what is wrong with it. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Kubernetes' own error body. */
export interface Status {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

/** The API server answered, and the answer is no. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: number;
  /** The server's own words, without the request that they answer. */
  readonly said: string;
  /** Kubernetes' reason, such as NotFound or AlreadyExists; empty when the answer came from something else. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfter: number | undefined;

  constructor(options: { request: string; code: number; status: Status; retryAfter?: number | undefined }) {
    const { request, code, status } = options;
    const said = status.message || `HTTP ${code}`;
    super(`${request}: ${said}`);
    this.code = code;
    this.said = said;
    this.reason = status.reason ?? "";
    this.causes = status.details?.causes ?? [];
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfter = options.retryAfter ?? (seconds === undefined ? undefined : seconds * 1000);
  }
}

/** Another field manager owns a field that a server-side apply wanted to set. */
export class ApplyConflict extends ApiError {
  override name = "ApplyConflict";

  /** Each disputed field, and who owns it. */
  get owners(): readonly { readonly field: string; readonly manager: string }[] {
    return this.causes
      .filter((cause) => cause.reason === "FieldManagerConflict")
      .map((cause) => ({
        field: cause.field ?? "",
        manager: /conflict with "([^"]*)"/.exec(cause.message ?? "")?.[1] ?? "",
      }));
  }
}

function hasReason(error: unknown, code: number, reason: string): boolean {
  return error instanceof ApiError && error.code === code && error.reason === reason;
}

/** That there is no such object is the API server's own word: a proxy's bare 404, or a path not served, is none. */
export const isNotFound = (error: unknown): boolean => hasReason(error, 404, "NotFound");
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 409, "AlreadyExists");
export const isConflict = (error: unknown): boolean => hasReason(error, 409, "Conflict");
export const isForbidden = (error: unknown): boolean => hasReason(error, 403, "Forbidden");
export const isInvalid = (error: unknown): boolean => hasReason(error, 422, "Invalid");
/** Nobody serves such a kind, or not yet: nothing is said of the object. */
export const isNotServed = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 404 && !isNotFound(error);
export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.code === 401;

/** The resourceVersion asked for is older than what the server remembers: list again. */
export const isExpired = (error: unknown): boolean => error instanceof ApiError && error.code === 410;

/** For `catch`: what is not there, or not there any more, is undefined. Anything else is thrown on. */
export function ignoreGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
