import { Failure } from "../../kube/failure.ts";
import { explainedRefusal, type RefusalRemedies } from "../../kube/write/explained_refusal.ts";
import { refusalReason } from "./pod_refusal.ts";

/** What a refused write of a run's object means, with what to do; whatever is no refusal is returned as it was. */
export function explained(error: unknown, what: string): unknown {
  return explainedRefusal(error, what, REMEDIES);
}

const REMEDIES: RefusalRemedies = {
  forbidden: (said) =>
    refusalReason(said) ?? { reason: "Forbidden", remedy: "Grant the operator this right." },
  invalid: "Correct the mover's settings.",
};

/** An object of a run's name is there, and is not the run's. */
export function foreign(what: string, owner: string): Failure {
  return new Failure(
    "structural",
    "ForeignObject",
    `${what} is there already and does not belong to ${owner}, so it is left alone and the work cannot begin. ` +
      "Delete or rename it.",
  );
}

/** An object of a run's name is there, from a Job that was there before. */
export function leftover(what: string): Failure {
  return new Failure(
    "transient",
    "LeftoverOfJob",
    `${what} belongs to a former Job of the same name, and is on its way out.`,
  );
}
