import type { Admission } from "./admission.ts";

/** The same webhooks, run in another way. */
export function admissionThatRuns(webhooks: Admission, run: Admission["run"]): Admission {
  return {
    name: webhooks.name,
    get opened() {
      return webhooks.opened;
    },
    get problem() {
      return webhooks.problem;
    },
    run,
  };
}
