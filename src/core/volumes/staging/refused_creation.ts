import { explainedRefusal, type RefusalRemedies } from "../../../kube/write/explained_refusal.ts";

/** What the refusal of a staged object means, with what to do; whatever is no refusal is returned as it was. */
export function explainedCreation(error: unknown, what: string): unknown {
  return explainedRefusal(error, what, REMEDIES);
}

const REMEDIES: RefusalRemedies = {
  forbidden: (said) =>
    /quota|maximum storage|minimum storage/i.test(said)
      ? {
          reason: "QuotaExceeded",
          remedy: "A copy is as large as its source: raise the namespace's quota.",
        }
      : {
          reason: "Forbidden",
          remedy: "Grant the operator this right, or meet the rule that refuses it.",
        },
  invalid: "Correct the class, the access modes or the labels of the copies.",
};
