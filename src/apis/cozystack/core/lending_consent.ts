import { type ConsentRules, type Crossing, crossingProblem } from "../../../core/consent/crossing.ts";
import { LENT_SECRET, lentSecret, lentSecretKind } from "../../../core/consent/lent_secret.ts";
import type { Problem } from "../../../core/reconcile/problem.ts";
import type { Job } from "../../../kinds/cozystack/generated/job.ts";
import { LENDABLE } from "../../../kinds/cozystack/labels.ts";
import type { Found } from "../../../kube/cache/found.ts";
import type { KubeObject } from "../../../kube/object.ts";

interface Lookup {
  namespace(name: string): Found<KubeObject>;
}

/** The Secret that a strategy has lent to tenants: it is in a namespace, and the strategy is in none. */
export function lendingCrossings({ spec }: Pick<Job, "spec">): readonly Crossing[] {
  return lentSecret(spec.credentials?.secretRef, "spec.credentials.secretRef");
}

export function lendingRules(lookup: Lookup): ConsentRules {
  const kinds = { [LENT_SECRET]: lentSecretKind(lookup, LENDABLE) };
  return { repositoryList: "", namespace: (name) => lookup.namespace(name), kinds };
}

/** Why the Secret of a strategy may not be lent: admission's rule, run again. */
export function lendingProblem(strategy: Job, lookup: Lookup, guarded: boolean): Problem | undefined {
  return crossingProblem(strategy, lendingCrossings(strategy), { rules: lendingRules(lookup), guarded });
}
