import { ApiError, isConflict, isForbidden, isInvalid } from "../../../kube/api_error.ts";
import { Failure } from "../../../kube/controller/failure.ts";

/** What the refusal of a staged object means, with what to do; whatever is no refusal is returned as it was. */
export function explainedCreation(error: unknown, what: string): unknown {
  if (!(error instanceof ApiError) || isConflict(error)) return error;
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
    return /quota|maximum storage|minimum storage/i.test(error.said)
      ? fail("structural", "QuotaExceeded", "A copy is as large as its source: raise the namespace's quota.")
      : fail("structural", "Forbidden", "Grant the operator this right, or meet the rule that refuses it.");
  }
  if (isInvalid(error)) {
    return fail("structural", "Invalid", "Correct the class, the access modes or the labels of the copies.");
  }
  return error;
}
