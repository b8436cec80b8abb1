import { ApiError, isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound } from "../api_error.ts";
import { Failure } from "../failure.ts";

/** What to do about a refusal, by who refused. */
export interface RefusalRemedies {
  /** From the server's words. */
  readonly forbidden: (said: string) => { readonly reason: string; readonly remedy: string };
  readonly invalid: string;
}

/**
 * What a refused creation means: the server's words with their class and what to do. What may go away by itself, and
 * what is no refusal, is returned as it was. `what` names the object.
 */
export function explainedRefusal(
  error: unknown,
  what: string,
  { forbidden, invalid }: RefusalRemedies,
): unknown {
  if (!(error instanceof ApiError) || isConflict(error) || isAlreadyExists(error)) return error;
  const fail = (failureClass: Failure["class"], reason: string, remedy: string) =>
    new Failure(failureClass, reason, `${what} could not be created: ${error.said}. ${remedy}`, {
      cause: error,
    });
  if (error.causes.some(({ reason }) => reason === "NamespaceTerminating")) {
    return fail(
      "terminal",
      "NamespaceTerminating",
      "The namespace is being deleted: nothing new begins in it.",
    );
  }
  if (isForbidden(error)) {
    const { reason, remedy } = forbidden(error.said);
    return fail("structural", reason, remedy);
  }
  // Whatever is created somewhere is not found only where there is no such place.
  if (isNotFound(error)) return fail("structural", "NamespaceMissing", "Create the namespace.");
  return isInvalid(error) ? fail("structural", "Invalid", invalid) : error;
}
