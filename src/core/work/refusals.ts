import { ApiError, isAlreadyExists, isConflict, isForbidden, isInvalid } from "../../kube/api_error.ts";
import { Failure } from "../../kube/controller/failure.ts";
import { refusalReason } from "./pod_refusal.ts";

/**
 * What a refused write of a run's object means: the server's words with their class and what to do. What may go away
 * by itself, and what is no refusal, is returned as it was.
 */
export function explained(error: unknown, what: string): unknown {
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
    const reason = refusalReason(error.said);
    return reason === undefined
      ? fail("structural", "Forbidden", "Grant the operator this right.")
      : fail("structural", reason.reason, reason.remedy);
  }
  if (isInvalid(error)) return fail("structural", "Invalid", "Correct the mover's settings.");
  return error;
}

/** An object of a run's name is there, and is not the run's. */
export function foreign(what: string, owner: string): Failure {
  return new Failure(
    "structural",
    "ForeignObject",
    `${what} is there already and does not belong to ${owner}, so it is left alone and the work cannot begin. ` +
      "Delete or rename it.",
  );
}
